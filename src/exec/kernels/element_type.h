// The types of number that can be exchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trireme::exec {

enum class ElementType : std::uint8_t {
  kFloat32,
  kFloat64,
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kInt8,
  kUint8,
};

/// Bytes of one element.
[[nodiscard]] std::int64_t size_of(ElementType type);

/// "float32", "bfloat16", …: the names used on the command line and in output.
[[nodiscard]] std::string_view name(ElementType type);
[[nodiscard]] std::optional<ElementType> find_element_type(std::string_view name);
[[nodiscard]] std::span<const ElementType> all_element_types();

/// Integers have no average (`Reduction`).
[[nodiscard]] bool is_integer(ElementType type);

/// Sums and products of these are made in float32 and rounded.
[[nodiscard]] bool is_16_bit(ElementType type);

}  // namespace trireme::exec
