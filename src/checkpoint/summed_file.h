// A new file that is summed up while it is written, and on the disk when it is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/system/fd.h"

namespace trireme::checkpoint {

/// The CRC-32 of zlib, gzip and PNG. `before` is that of the bytes before these.
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// What DONE says of a file.
struct FileSum {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;

  bool operator==(const FileSum&) const = default;
};

/// Everything throws `Error` (kFailed) with the file, the reason and one thing to try; when the disk is full,
/// it says so.
class SummedFile {
 public:
  /// The file must not exist.
  explicit SummedFile(std::filesystem::path file);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Everything written is on the disk afterwards (fsync).
  [[nodiscard]] FileSum finish();

 private:
  std::filesystem::path file_;
  Fd fd_;
  FileSum sum_;
};

[[nodiscard]] FileSum write_summed(const std::filesystem::path& file, std::string_view text);

/// The folder's entries are on the disk afterwards. Throws likewise.
void sync_folder(const std::filesystem::path& folder);

}  // namespace trireme::checkpoint
