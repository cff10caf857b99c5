// Numbers of one type, one after the other as a file has them: in memory, or in a mapped file.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "data/mapped_file.h"

namespace trireme::data {

enum class NumberType : std::uint8_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat32,
  kFloat64,
};

/// Bytes of one number.
[[nodiscard]] std::size_t size_of(NumberType type);
[[nodiscard]] bool is_real(NumberType type);

/// Copies are cheap and share the bytes.
class Numbers {
 public:
  /// None.
  Numbers() = default;
  /// Bytes in memory, each of which is a number.
  Numbers(
      const std::vector<std::uint8_t>& bytes);  // NOLINT(google-explicit-constructor): it is the usual case
  /// The bytes are a multiple of the size of the type.
  Numbers(NumberType type, std::endian order, std::vector<std::uint8_t> bytes);
  /// All of a file behind its first bytes, or as many numbers as are said.
  Numbers(NumberType type, std::endian order, std::shared_ptr<const MappedFile> file, std::size_t first_byte,
          std::int64_t count);

  [[nodiscard]] NumberType type() const { return type_; }
  /// Of the bytes of one number; the own one for single bytes.
  [[nodiscard]] std::endian order() const { return order_; }
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// Nothing for numbers in memory.
  [[nodiscard]] const MappedFile* file() const { return file_.get(); }

  /// Writes numbers from the first on. Whole numbers beyond 2⁵³ are rounded to the nearest double.
  void read(std::int64_t first, std::span<double> out) const;

  /// The same numbers, of the same type and in the same order of bytes.
  friend bool operator==(const Numbers& one, const Numbers& other);

 private:
  NumberType type_ = NumberType::kUint8;
  std::endian order_ = std::endian::native;
  std::shared_ptr<const std::vector<std::uint8_t>> memory_;
  std::shared_ptr<const MappedFile> file_;
  std::span<const std::uint8_t> bytes_;
};

/// Numbers with dimensions, of which the last varies fastest.
struct NumberArray {
  std::vector<std::int64_t> dimensions;  ///< none of them 0
  Numbers elements;                      ///< as many as the product of the dimensions
};

/// The most elements that a file may announce.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// "60,000 × 28 × 28"
[[nodiscard]] std::string dimensions_in_words(std::span<const std::int64_t> dimensions);

/// A number at any address.
template <typename Number>
[[nodiscard]] Number load_number(const std::uint8_t* from, bool swapped) {
  Number number;
  if (!swapped) {
    std::memcpy(&number, from, sizeof number);
    return number;
  }
  std::uint8_t turned[sizeof number];
  for (std::size_t i = 0; i < sizeof number; ++i) turned[i] = from[sizeof number - 1 - i];
  std::memcpy(&number, turned, sizeof number);
  return number;
}

/// Calls the function with a number of that type.
template <typename Function>
void with_type(NumberType type, const Function& function) {
  switch (type) {
    case NumberType::kUint8:
      return function(std::uint8_t{});
    case NumberType::kInt8:
      return function(std::int8_t{});
    case NumberType::kUint16:
      return function(std::uint16_t{});
    case NumberType::kInt16:
      return function(std::int16_t{});
    case NumberType::kUint32:
      return function(std::uint32_t{});
    case NumberType::kInt32:
      return function(std::int32_t{});
    case NumberType::kUint64:
      return function(std::uint64_t{});
    case NumberType::kInt64:
      return function(std::int64_t{});
    case NumberType::kFloat32:
      return function(float{});
    case NumberType::kFloat64:
      return function(double{});
  }
}

}  // namespace trireme::data
