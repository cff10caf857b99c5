#include <trireme/version.h>

namespace trireme {
inline namespace TRIREME_ABI {

const char* version() noexcept { return TRIREME_VERSION; }

}  // namespace TRIREME_ABI
}  // namespace trireme
