#include <trireme/version.h>

namespace trireme::inline TRIREME_ABI {

const char* version() noexcept { return TRIREME_VERSION; }

}  // namespace trireme::inline TRIREME_ABI
