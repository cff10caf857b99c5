// A stream of bytes, from wherever a data set is stored: memory, a file, or either through gzip (gzip.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace trireme::data {

/// Fills the buffer and returns the number of bytes written to it, which is smaller than the buffer only at
/// the end.
using ByteSource = std::function<std::size_t(std::span<std::uint8_t>)>;

/// Reads these bytes, which must outlive the source.
[[nodiscard]] ByteSource bytes_of_memory(std::span<const std::uint8_t> bytes);

/// Reads the bytes of a file unchanged. This function and the source throw `Error` (bad input) if the file
/// does not exist or cannot be read.
[[nodiscard]] ByteSource bytes_of_file(const std::string& path);

/// Throws `Error` (bad input) if something else than a file is there, such as a folder or a pipe.
void require_data_file(const std::string& path);

/// Throws `Error` (bad input) with the reason, a number of `errno`.
[[noreturn]] void refuse_to_read(const std::string& path, int error);

/// Where Debian's package `dataset-fashion-mnist` puts its files.
inline constexpr const char* kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

/// The hint for a missing file; it differs for files in the folder above.
[[nodiscard]] std::string how_to_get(const std::string& path);

}  // namespace trireme::data
