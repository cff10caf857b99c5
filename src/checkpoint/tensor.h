// Tensors as checkpoints name them: a name, an element type, a shape, and bytes that lie somewhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trireme::checkpoint {

/// The element types of safetensors that fill whole bytes.
enum class TensorType {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kU16,
  kI16,
  kF16,
  kBF16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64,
};

/// The name in a safetensors file: "F32", "BF16", …
[[nodiscard]] std::string_view name_of(TensorType type);
[[nodiscard]] std::optional<TensorType> tensor_type(std::string_view name);
/// Bytes of one element.
[[nodiscard]] std::uint64_t size_of(TensorType type);

struct TensorInfo {
  std::string name;
  TensorType type = TensorType::kF32;
  std::vector<std::uint64_t> shape;  ///< empty: a single number

  bool operator==(const TensorInfo&) const = default;
};

/// Empty if the number does not fit 64 bits.
[[nodiscard]] std::optional<std::uint64_t> element_count(std::span<const std::uint64_t> shape);
[[nodiscard]] std::optional<std::uint64_t> byte_count(const TensorInfo& info);

/// "1000 × 784", or "a number" for an empty shape.
[[nodiscard]] std::string shape_in_words(std::span<const std::uint64_t> shape);

/// A tensor to be written. The bytes are little-endian, in C order, and stay where they are.
struct TensorView {
  TensorInfo info;
  std::span<const std::byte> bytes;
};

}  // namespace trireme::checkpoint
