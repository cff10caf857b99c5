// Files that the program writes by name, also in folders where other users can create files of the same name.
// It follows no symbolic link, changes no file of another user and none with a second name (a hard link), and
// truncates nothing before it has checked this.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/system/fd.h"

namespace trireme {

/// Opens the file, or creates it; existing content stays and writes append. Throws `Error` (bad input) with
/// the file and the reason, or `std::runtime_error` when the disk is full.
[[nodiscard]] Fd open_own_file(const std::filesystem::path& file);

/// The same, but empties the file.
[[nodiscard]] Fd open_empty_file(const std::filesystem::path& file);

/// A file that is written whole or not at all. The content goes to a temporary file beside it, which `finish`
/// renames; without `finish` the temporary file is removed and the old content stays. Targets whose reader
/// sees every write at once are written in place: devices, pipes, and descriptors of this process named
/// /dev/stdout, /dev/stderr or /dev/fd/N.
class OutFile {
 public:
  /// Throws like `open_own_file`.
  explicit OutFile(std::filesystem::path file);
  ~OutFile();
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  /// Both throw `std::runtime_error` with the file and the reason when the disk is full.
  void write(std::string_view text);
  void finish();

 private:
  void open_in_place();
  void open_beside();
  void flush();

  std::filesystem::path file_;
  std::filesystem::path beside_;  // empty: the file is written in place, or finished
  Fd fd_;
  std::string waiting_;  // not written yet
};

/// Writes a file with this text, whole or not at all.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace trireme
