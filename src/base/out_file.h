// Files that the program writes by their names, also in folders where others can put something under the same
// name. No symbolic link is followed, no file of another user and none with a second name (a hard link) is
// changed, and nothing is emptied before that is known.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace trireme {

/// The file, made where there is none, as it is; what is written goes to its end. Throws `Error` (bad input)
/// with the file and the reason, or `std::runtime_error` where the disk is full.
[[nodiscard]] Fd open_own_file(const std::filesystem::path& file);

/// The same, emptied.
[[nodiscard]] Fd open_empty_file(const std::filesystem::path& file);

/// A file that is there whole or not at all. It is written beside its place and put there by `finish`;
/// without that, nothing is left of it and what was there stays. What the file's reader sees at once is
/// written in place: devices, pipes, and what is open in this process under the names /dev/stdout,
/// /dev/stderr and /dev/fd/N.
class OutFile {
 public:
  /// Throws as `open_own_file` does.
  explicit OutFile(std::filesystem::path file);
  ~OutFile();
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  /// Both throw `std::runtime_error` with the file and the reason: a full disk.
  void write(std::string_view text);
  void finish();

 private:
  void open_in_place();
  void open_beside();
  void flush();

  std::filesystem::path file_;
  std::filesystem::path beside_;  // empty: written in place, or finished
  Fd fd_;
  std::string waiting_;  // not written yet
};

/// A file with this text, whole or not at all.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace trireme
