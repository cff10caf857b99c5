#include "checkpoint/failure.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace trireme::checkpoint {

Error refused(const std::filesystem::path& file, const std::string& what, const std::string& hint) {
  return bad_input(fmt::format("{}: {}", printable(file.string()), what), hint);
}

void fail_to_write(const std::filesystem::path& file, int reason) {
  const bool is_full = reason == ENOSPC || reason == EDQUOT;
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what = fmt::format("cannot write {}: {}", printable(file.string()),
                             reason == ENOSPC ? "the disk is full" : std::strerror(reason));
  failure.hint =
      is_full ? "make room there, or keep fewer checkpoints: run.keep" : "check that you may write there";
  throw Error(failure);
}

void fail_to_read(const std::filesystem::path& file, int reason) {
  throw bad_input(
      fmt::format("cannot read {}: {}", printable(file.string()), std::strerror(reason)),
      reason == ENOENT ? "check that the path is right" : "check that it is a file and that you may read it");
}

}  // namespace trireme::checkpoint
