// Copies, whose speed is that of memory: what they read and write per second, an update cannot surpass by
// much.
#pragma once

#include <cstddef>

namespace rules_bench {

/// With stores that go through the cache.
void copy(const float* from, float* into, std::size_t count);

/// With stores past the cache.
void copy_streaming(const float* from, float* into, std::size_t count);

}  // namespace rules_bench
