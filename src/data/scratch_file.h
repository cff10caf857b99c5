// Numbers in a temporary file that has no name: it is gone when the last process that uses it has ended,
// however it ends. It may be larger than memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/system/fd.h"
#include "data/numbers.h"

namespace trireme::data {

class ScratchFile {
 public:
  /// In the folder that TMPDIR names, else in /var/tmp, which unlike /tmp lies on a disk. Throws `Error` (bad
  /// input) that names the folder if no file can be made there. `what` is what messages call the content.
  explicit ScratchFile(std::string what);

  /// Throws `Error` when the disk is full.
  void write(std::span<const double> numbers);
  /// All of them, mapped. Nothing can be written any more.
  [[nodiscard]] Numbers finish();

 private:
  void flush();

  std::string what_;
  std::string folder_;
  Fd file_;
  std::vector<double> waiting_;  // not written yet
  std::int64_t count_ = 0;
};

}  // namespace trireme::data
