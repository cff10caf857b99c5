// Bytes one after the other, from wherever a data set lies: memory, a file, or either through gzip (gzip.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace trireme::data {

/// Fills the buffer and returns how many bytes it has put there: fewer than asked for only at the end.
using ByteSource = std::function<std::size_t(std::span<std::uint8_t>)>;

/// These bytes, which must outlive the source.
[[nodiscard]] ByteSource bytes_of_memory(std::span<const std::uint8_t> bytes);

/// The bytes of a file, as they are. Throws `Error` (bad input), as does the source itself, when it is not
/// there or cannot be read.
[[nodiscard]] ByteSource bytes_of_file(const std::string& path);

/// Where Debian's package `dataset-fashion-mnist` puts its files.
inline constexpr const char* kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

/// What to try when there is no such file: one hint, which knows of the folder above.
[[nodiscard]] std::string how_to_get(const std::string& path);

}  // namespace trireme::data
