// 16-bit floating-point numbers to float32 and back, exactly rounded, whatever the processor offers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/kernels/element_type.h"

namespace trireme::exec {

/// The same values as float32; nothing is lost. `type` is float16 or bfloat16, `from` as long as `into`.
void widen(ElementType type, std::span<const std::uint16_t> from, std::span<float> into);

/// Rounded once, to nearest, ties to even. Too large becomes infinity; NaN stays NaN.
void narrow(ElementType type, std::span<const float> from, std::span<std::uint16_t> into);

}  // namespace trireme::exec
