// Reductions worked out one number after another, to compare the kernels and the exchanges with: no vectors,
// no widened integers, no trick.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "exec/kernels/element_type.h"
#include "exec/kernels/kernel_test_util.h"
#include "exec/kernels/reduction.h"

namespace trireme::exec {

/// Calls `body(T{})` with the C++ type of these elements; halves as the 16 bits that they are stored in.
template <typename Body>
auto with_type(ElementType type, Body body) {
  switch (type) {
    case ElementType::kFloat32:
      return body(float{});
    case ElementType::kFloat64:
      return body(double{});
    case ElementType::kInt32:
      return body(std::int32_t{});
    case ElementType::kInt64:
      return body(std::int64_t{});
    case ElementType::kInt8:
      return body(std::int8_t{});
    case ElementType::kUint8:
    case ElementType::kFloat16:
    case ElementType::kBFloat16:
      break;
  }
  return type == ElementType::kUint8 ? body(std::uint8_t{}) : body(std::uint16_t{});
}

template <typename T>
T combined_plainly(Reduction reduction, T a, T b) {
  if (reduction == Reduction::kMin || reduction == Reduction::kMax) {
    const bool least = reduction == Reduction::kMin;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
      if (a == b) return std::signbit(a) == least ? a : b;
    }
    return (a < b) == least ? a : b;
  }
  const bool product = reduction == Reduction::kProduct;
  if constexpr (std::is_floating_point_v<T>) {
    return product ? a * b : a + b;
  } else {
    const std::uint64_t x = static_cast<std::make_unsigned_t<T>>(a);
    const std::uint64_t y = static_cast<std::make_unsigned_t<T>>(b);
    return static_cast<T>(product ? x * y : x + y);
  }
}

/// The number of each source at one place, combined in the order of the sources.
template <typename T>
T reduced_plainly(Reduction reduction, const std::vector<T>& numbers) {
  T all = numbers[0];
  if (reduction == Reduction::kMin || reduction == Reduction::kMax)
    all = combined_plainly(reduction, all, all);
  for (std::size_t i = 1; i < numbers.size(); ++i) all = combined_plainly(reduction, all, numbers[i]);
  return all;
}

/// The same of 16-bit floats: in float32, rounded once.
inline std::uint16_t reduced_plainly(ElementType type, Reduction reduction,
                                     const std::vector<std::uint16_t>& halves) {
  const HalfFormat format = HalfFormat::of(type);
  std::vector<float> wide;
  wide.reserve(halves.size());
  for (const std::uint16_t half : halves) wide.push_back(format.widen(half));
  const float all = reduced_plainly(reduction, wide);
  return std::isnan(all) ? format.quiet_nan() : format.narrow(all);
}

/// The result of whole buffers.
inline std::vector<std::byte> reduced_plainly(ElementType type, Reduction reduction,
                                              const std::vector<std::vector<std::byte>>& sources) {
  std::vector<std::byte> result(sources[0].size());
  with_type(type, [&]<typename T>(T) {
    for (std::size_t at = 0; at < result.size(); at += sizeof(T)) {
      std::vector<T> numbers(sources.size());
      for (std::size_t s = 0; s < sources.size(); ++s)
        std::memcpy(&numbers[s], sources[s].data() + at, sizeof(T));
      T all;
      if constexpr (std::is_same_v<T, std::uint16_t>) {
        all = reduced_plainly(type, reduction, numbers);
      } else {
        all = reduced_plainly(reduction, numbers);
      }
      std::memcpy(result.data() + at, &all, sizeof(T));
    }
  });
  return result;
}

template <typename T>
bool is_nan(ElementType type, T number) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(number);
  return is_16_bit(type) && HalfFormat::of(type).is_nan(static_cast<std::uint16_t>(number));
}

/// Whether two buffers hold the same bits. Only of a sum or product any NaN is as good as another.
inline bool same_numbers(ElementType type, Reduction reduction, const std::vector<std::byte>& a,
                         const std::vector<std::byte>& b) {
  if (a == b) return true;
  if (a.size() != b.size() || reduction == Reduction::kMin || reduction == Reduction::kMax) return false;
  return with_type(type, [&]<typename T>(T) {
    for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
      if (std::memcmp(a.data() + at, b.data() + at, sizeof(T)) == 0) continue;
      T x;
      T y;
      std::memcpy(&x, a.data() + at, sizeof(T));
      std::memcpy(&y, b.data() + at, sizeof(T));
      if (!is_nan(type, x) || !is_nan(type, y)) return false;
    }
    return true;
  });
}

/// Mostly an ordinary number, near one or of any size; now and then one that something may go wrong with:
/// zeros, infinities, NaNs, subnormal numbers, the least and the greatest. In the low bits, as many as the
/// type has.
inline std::uint64_t awkward_bits(ElementType type, TestBits& random) {
  const int size = static_cast<int>(8 * size_of(type));
  const std::uint64_t choice = random.next() % 16;
  const std::uint64_t any = random.next();
  const std::uint64_t sign = (random.next() % 2) << (size - 1);
  if (is_integer(type)) {
    const std::uint64_t ends[] = {0, 1, sign, sign - 1, ~std::uint64_t{0}};
    return choice == 0 ? ends[any % 5] : any;
  }
  const int mantissa = is_16_bit(type) ? HalfFormat::of(type).mantissa_bits
                       : size == 32    ? std::numeric_limits<float>::digits - 1
                                       : std::numeric_limits<double>::digits - 1;
  const std::uint64_t unit = std::uint64_t{1} << mantissa;  // of the exponent
  const std::uint64_t infinity = (std::uint64_t{1} << (size - 1)) - unit;
  const std::uint64_t one = (infinity >> 1) / unit * unit;
  const std::uint64_t specials[] = {0,  1, unit, infinity - 1, infinity, infinity + 1, infinity + unit - 1,
                                    one};
  if (choice == 0) return sign | specials[any % 8];
  if (choice == 1) return any;
  return sign | (one - 2 * unit + any % (4 * unit));  // from 1/4 up to 4
}

/// Numbers of that kind.
inline std::vector<std::byte> awkward_numbers(ElementType type, std::size_t count, std::uint64_t seed) {
  TestBits random(seed);
  std::vector<std::byte> numbers(count * static_cast<std::size_t>(size_of(type)));
  with_type(type, [&]<typename T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = awkward_bits(type, random);
      std::memcpy(numbers.data() + i * sizeof(T), &bits, sizeof(T));  // the low bytes
    }
  });
  return numbers;
}

}  // namespace trireme::exec
