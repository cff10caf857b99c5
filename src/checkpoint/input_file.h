// Files of checkpoints as input: regular files alone, so that nothing waits for a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/system/fd.h"

namespace trireme::checkpoint {

/// Everything throws `Error` (bad input) with the file and the reason.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path file);

  /// When it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_; }

  /// Threads may read at the same time. Refuses a file that ends before all of `into` is filled.
  void read(std::uint64_t first, std::span<std::byte> into) const;

 private:
  std::filesystem::path file_;
  Fd fd_;
  std::uint64_t size_ = 0;
};

/// A whole file of at most so many bytes.
[[nodiscard]] std::string read_text(const std::filesystem::path& file, std::uint64_t most);

}  // namespace trireme::checkpoint
