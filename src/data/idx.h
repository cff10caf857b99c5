// Arrays of bytes in idx files, the format of MNIST and its like: two zero bytes, the type of the elements
// (8: unsigned bytes), the number of dimensions; each dimension as a 32-bit number, highest byte first; then
// the elements, the last dimension running fastest. Nothing in a file is believed before it is checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/byte_source.h"

namespace trireme::data {

struct IdxArray {
  std::vector<std::int64_t> dimensions;  ///< 1 to 4 of them, none 0
  std::vector<std::uint8_t> elements;    ///< as many as their product
};

/// The most elements that a file may announce.
inline constexpr std::int64_t kMostIdxElements = std::int64_t{1} << 32;

/// The array in a file; through gzip where its name ends in .gz. Throws `Error` (bad input) that names the
/// file, what is wrong and one thing to try, when it cannot be read or is anything else than one whole array
/// of unsigned bytes.
[[nodiscard]] IdxArray read_idx(const std::string& path);

/// The same from any bytes; the name is for messages. Takes memory for what is there, at most about three
/// times as much, whatever the header announces.
[[nodiscard]] IdxArray read_idx(const ByteSource& source, const std::string& name);

/// The same without its elements: only the beginning and the length of the file are looked at, which takes no
/// time however large it is. Where they do not fit together it is read whole, to say what is wrong.
[[nodiscard]] IdxArray look_at_idx(const std::string& path);

/// "60,000 × 28 × 28"
[[nodiscard]] std::string dimensions_in_words(std::span<const std::int64_t> dimensions);

}  // namespace trireme::data
