// Arrays in idx files, the format of MNIST and similar data sets: two zero bytes, the type of the elements (8
// uint8, 9 int8, 11 int16, 12 int32, 13 float32, 14 float64), the number of dimensions; each dimension as a
// 32-bit number; then the elements, with the last dimension varying fastest. All numbers have their highest
// byte first. Every value in a file is checked before it is used.
#pragma once

#include <cstdint>
#include <string>

#include "data/byte_source.h"
#include "data/numbers.h"

namespace trireme::data {

/// Maps the array in a file of 1 to 4 dimensions; reads it through gzip if the file's name ends in .gz.
/// Throws `Error` (bad input) that names the file, the problem and one thing to try, if the file cannot be
/// read or is anything but one whole array.
[[nodiscard]] NumberArray read_idx(const std::string& path);

/// The same from any source; the name is for messages. Allocates memory for the bytes that are there, at most
/// about three times as much, whatever the header announces.
[[nodiscard]] NumberArray read_idx(const ByteSource& source, const std::string& name);

/// The dimensions alone: reads only the header and the length of the file, so it is fast for any size. If the
/// two do not match, reads a whole file of gzip to say what is wrong.
[[nodiscard]] NumberArray look_at_idx(const std::string& path);

}  // namespace trireme::data
