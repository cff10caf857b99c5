#include "checkpoint/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/types.h"

namespace trireme::checkpoint {
namespace {

struct TypeFacts {
  std::string_view name;
  std::uint64_t bytes;
};

// In the order of TensorType.
constexpr std::array<TypeFacts, 15> kTypes{{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"F8_E5M2", 1},
                                            {"F8_E4M3", 1},
                                            {"U16", 2},
                                            {"I16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"U32", 4},
                                            {"I32", 4},
                                            {"F32", 4},
                                            {"U64", 8},
                                            {"I64", 8},
                                            {"F64", 8}}};

const TypeFacts& facts_of(TensorType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace

std::string_view name_of(TensorType type) { return facts_of(type).name; }

std::uint64_t size_of(TensorType type) { return facts_of(type).bytes; }

std::optional<TensorType> tensor_type(std::string_view name) {
  const auto* at =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeFacts& t) { return t.name == name; });
  if (at == kTypes.end()) return std::nullopt;
  return static_cast<TensorType>(at - kTypes.begin());
}

std::optional<std::uint64_t> element_count(std::span<const std::uint64_t> shape) {
  // With a 0 there are no elements, however large the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::optional<std::uint64_t> count = 1;
  for (const std::uint64_t size : shape) {
    if (count) count = product(*count, size);
  }
  return count;
}

std::optional<std::uint64_t> byte_count(const TensorInfo& info) {
  const std::optional<std::uint64_t> count = element_count(info.shape);
  return count ? product(*count, size_of(info.type)) : std::nullopt;
}

std::string shape_in_words(std::span<const std::uint64_t> shape) {
  if (shape.empty()) return "a number";
  std::string words;
  for (const std::uint64_t size : shape) {
    if (!words.empty()) words += " × ";
    words += fmt::format("{}", size);
  }
  return words;
}

}  // namespace trireme::checkpoint
