// The number of parts of a given size needed for so many things; the last part may hold fewer.
#pragma once

#include <cstdint>

namespace trireme::sim {

[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace trireme::sim
