#include "data/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::data {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{1} << 16;

std::string folder_for_scratch() {
  const char* const folder = ::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

}  // namespace

ScratchFile::ScratchFile(std::string what) : what_(std::move(what)), folder_(folder_for_scratch()) {
  std::string name = folder_ + "/trireme-XXXXXX";
  file_ = Fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_) {
    throw bad_input(fmt::format("cannot make a temporary file for {} in {}: {}", what_, printable(folder_),
                                std::strerror(errno)),
                    "set TMPDIR to a folder on a disk with room");
  }
  ::unlink(name.c_str());
  waiting_.reserve(kMostWaiting);
}

void ScratchFile::write(std::span<const double> numbers) {
  if (waiting_.size() + numbers.size() > kMostWaiting) flush();
  waiting_.insert(waiting_.end(), numbers.begin(), numbers.end());
  count_ += std::ssize(numbers);
}

void ScratchFile::flush() {
  const std::span<const char> bytes(reinterpret_cast<const char*>(waiting_.data()),
                                    waiting_.size() * sizeof(double));
  if (!write_all(file_.get(), bytes)) {
    Failure failure;
    failure.cause = Failure::Cause::kFailed;
    failure.what = fmt::format(
        "cannot write {} to a temporary file in {} after {}: {}", what_, printable(folder_),
        bytes_in_words((count_ - std::ssize(waiting_)) * std::int64_t{sizeof(double)}), std::strerror(errno));
    failure.hint = "set TMPDIR to a folder on a disk with more room";
    throw Error(failure);
  }
  waiting_.clear();
}

Numbers ScratchFile::finish() {
  flush();
  return {NumberType::kFloat64, std::endian::native, MappedFile::of_unnamed(file_), 0, count_};
}

}  // namespace trireme::data
