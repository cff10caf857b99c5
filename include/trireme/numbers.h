// The numbers that operations take: their types, and how containers lend them.
#pragma once

#include <trireme/half.h>
#include <trireme/version.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>

namespace trireme {
inline namespace TRIREME_ABI {

/// The types of numbers that are exchanged.
enum class NumberType : std::uint8_t {
  kFloat32,
  kFloat64,
  kFloat16,
  kBFloat16,
  kInt8,
  kInt32,
  kInt64,
  kUint8,
};

/// T: float, double, float16, bfloat16, std::int8_t, std::int32_t, std::int64_t or std::uint8_t.
template <typename T>
[[nodiscard]] constexpr NumberType number_type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return NumberType::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return NumberType::kFloat64;
  } else if constexpr (std::is_same_v<T, float16>) {
    return NumberType::kFloat16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return NumberType::kBFloat16;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return NumberType::kInt8;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return NumberType::kInt32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return NumberType::kInt64;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>,
                  "only float, double, trireme::float16, trireme::bfloat16, std::int8_t, std::int32_t, "
                  "std::int64_t and std::uint8_t can be exchanged");
    return NumberType::kUint8;
  }
}

/// The numbers of an argument, for one operation.
struct Lent {
  std::span<std::byte> bytes;
  NumberType type;
  /// May be null. Destroyed after the operation is complete, it copies the result back to where it belongs.
  std::shared_ptr<void> put_back;
};

/// What Group's operations need of an argument: its numbers in memory, in one piece. Buffer, std::vector,
/// std::span and other contiguous ranges are lent as they are; <trireme/torch.h> lends tensors.
template <typename Numbers>
struct NumbersOf {
  static_assert(std::ranges::contiguous_range<Numbers>,
                "numbers are a Buffer, std::vector, std::span or another contiguous range of them, or a "
                "torch::Tensor where <trireme/torch.h> is included");
  /// `written`: the operation writes to them.
  [[nodiscard]] static Lent lend(Numbers& numbers, bool written);
};

template <typename Numbers>
Lent NumbersOf<Numbers>::lend(Numbers& numbers, bool written) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<Numbers>>;
  const auto bytes = std::as_bytes(std::span<T>(numbers));
  static_cast<void>(written);
  return {{const_cast<std::byte*>(bytes.data()), bytes.size()},
          number_type_of<std::remove_const_t<T>>(),
          nullptr};
}

/// Whether an operation can write its result there: tensors say so when they are lent.
template <typename Numbers>
constexpr void require_writable_numbers() {
  if constexpr (std::ranges::range<Numbers>) {
    static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Numbers>>>,
                  "the result is written over the numbers: they must not be const");
  }
}

/// Numbers that go at the end of the statement cannot wait for an operation that was started.
template <typename Numbers>
constexpr void require_lasting() {
  if constexpr (std::ranges::range<Numbers>) {
    static_assert(std::is_lvalue_reference_v<Numbers> || std::ranges::borrowed_range<Numbers>,
                  "these numbers are gone before the operation is complete: give them a name");
  }
}

template <typename Numbers>
constexpr void require_no_integers() {
  if constexpr (std::ranges::range<Numbers>) {
    static_assert(!std::is_integral_v<std::ranges::range_value_t<Numbers>>,
                  "integers have sums but no averages");
  }
}

}  // namespace TRIREME_ABI
}  // namespace trireme
