#include "wire/wire.h"

#include <cstring>

namespace trireme {

void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(into, from, bytes);
}

}  // namespace trireme
