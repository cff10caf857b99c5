// Arrays in npy files, the format of NumPy: "\x93NUMPY", the version, the length of the header, and the
// header, a Python dictionary of the type of the elements ('<f4'), their order and the dimensions; then the
// elements. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/numbers.h"

namespace trireme::data {

/// Maps the array in a file of version 1, 2 or 3: float32, float64 or whole numbers of 8 to 64 bits, in
/// either order of bytes and in C order, of 1 to 4 dimensions. Throws `Error` (bad input) that names the
/// file, the problem and one thing to try, if the file cannot be read or is anything but one whole such
/// array.
[[nodiscard]] NumberArray read_npy(const std::string& path);

/// What the first bytes of a file say of the array behind them.
struct NpyHeader {
  NumberType type = NumberType::kUint8;
  std::endian order = std::endian::native;
  std::vector<std::int64_t> dimensions;
  std::size_t bytes = 0;  ///< of the header, all that is before the elements
};

/// Reads the header of a file with these bytes, and compares with their number; the name is for messages.
/// Throws as `read_npy` does.
[[nodiscard]] NpyHeader read_npy_header(std::span<const std::uint8_t> file, const std::string& name);

}  // namespace trireme::data
