// A file as memory. The system reads what is looked at and drops it again when memory is short, so a file may
// be larger than memory; all processes of a host share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/system/fd.h"

namespace trireme::data {

/// Lives in a shared pointer, because whatever lies in the file needs it. A forked process may use it, too.
class MappedFile {
 public:
  /// Throws `Error` (bad input) as `bytes_of_file` does.
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::string& path);
  /// All of a file that has no name any more.
  [[nodiscard]] static std::shared_ptr<const MappedFile> of_unnamed(const Fd& file);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

  /// Throws `Error` if the file has become shorter. Whoever reads bytes that are no longer there is killed by
  /// SIGBUS, so ask before each batch; what is cut off between the question and the reading still kills.
  void require_whole() const;

  /// Lets the system begin to read some of the bytes, without waiting for it: what lies in many places is
  /// read at once, and not one after the other.
  static void expect(std::span<const std::uint8_t> bytes);

  enum class Use : std::uint8_t { kFromFrontToBack, kAnywhere };
  /// Tells the system how the bytes will be read next.
  void advise(Use use) const;

 private:
  MappedFile(const Fd& file, std::string path);

  std::string path_;  // empty: nobody else can cut it
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace trireme::data
