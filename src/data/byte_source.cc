#include "data/byte_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "base/error.h"

namespace trireme::data {
namespace {

constexpr const char* kCheckFile = "check that it is a file and that you may read it";

}  // namespace

ByteSource bytes_of_memory(std::span<const std::uint8_t> bytes) {
  return [bytes](std::span<std::uint8_t> buffer) mutable {
    const std::size_t count = std::min(buffer.size(), bytes.size());
    std::copy_n(bytes.begin(), count, buffer.begin());
    bytes = bytes.subspan(count);
    return count;
  };
}

void refuse_to_read(const std::string& path, int error) {
  throw bad_input(fmt::format("cannot read {}: {}", path, std::strerror(error)),
                  error == ENOENT ? how_to_get(path) : kCheckFile);
}

void require_data_file(const std::string& path) {
  std::error_code unknown;  // opening the file will report the reason
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status)) refuse_to_read(path, EISDIR);
  // Opening a pipe or a device may block forever.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw bad_input(fmt::format("cannot read {}: a pipe, socket or device is not read", path), kCheckFile);
  }
}

ByteSource bytes_of_file(const std::string& path) {
  require_data_file(path);
  // Shared because a std::function can be copied; all copies read on from the same position.
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!*file) refuse_to_read(path, errno);
  return [file, path](std::span<std::uint8_t> buffer) {
    errno = 0;
    file->read(reinterpret_cast<char*>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
    if (file->bad()) refuse_to_read(path, errno != 0 ? errno : EIO);
    return idx(file->gcount());
  };
}

std::string how_to_get(const std::string& path) {
  const std::string folder = std::filesystem::path(path).lexically_normal().parent_path();
  if (folder == kFashionMnistFolder) {
    return "install Debian's package dataset-fashion-mnist: sudo apt-get install dataset-fashion-mnist";
  }
  return "check that the path is right";
}

}  // namespace trireme::data
