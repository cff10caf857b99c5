// Arrays of bytes in idx files, the format of MNIST and similar data sets: two zero bytes, the type of the
// elements (8: unsigned bytes), the number of dimensions; each dimension as a 32-bit number, highest byte
// first; then the elements, with the last dimension varying fastest. Every value in a file is checked before
// it is used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/byte_source.h"

namespace trireme::data {

struct IdxArray {
  std::vector<std::int64_t> dimensions;  ///< 1 to 4 dimensions, none of them 0
  std::vector<std::uint8_t> elements;    ///< as many as the product of the dimensions
};

/// The most elements that a file may announce.
inline constexpr std::int64_t kMostIdxElements = std::int64_t{1} << 32;

/// Reads the array in a file, through gzip if its name ends in .gz. Throws `Error` (bad input) that names the
/// file, the problem and one thing to try, if the file cannot be read or is anything but one whole array of
/// unsigned bytes.
[[nodiscard]] IdxArray read_idx(const std::string& path);

/// The same from any source; the name is for messages. Allocates memory for the bytes that are there, at most
/// about three times as much, whatever the header announces.
[[nodiscard]] IdxArray read_idx(const ByteSource& source, const std::string& name);

/// The same without the elements: reads only the header and the length of the file, so it is fast for any
/// size. If the two do not match, reads the whole file to say what is wrong.
[[nodiscard]] IdxArray look_at_idx(const std::string& path);

/// "60,000 × 28 × 28"
[[nodiscard]] std::string dimensions_in_words(std::span<const std::int64_t> dimensions);

}  // namespace trireme::data
