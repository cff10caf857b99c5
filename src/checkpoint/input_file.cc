#include "checkpoint/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "base/types.h"
#include "checkpoint/failure.h"

namespace trireme::checkpoint {

InputFile::InputFile(std::filesystem::path file) : file_(std::move(file)) {
  const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail_to_read(file_, errno);
  fd_ = own(fd, "read a file");
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) fail_to_read(file_, errno);
  if (S_ISDIR(status.st_mode)) fail_to_read(file_, EISDIR);
  if (!S_ISREG(status.st_mode)) throw refused(file_, "it is no regular file", "give the path of a file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::uint64_t first, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t count = ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(first));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(file_, errno);
    if (count == 0) {
      throw refused(file_,
                    fmt::format("the file ends after {}", counted(static_cast<std::int64_t>(first), "byte")),
                    "somebody has changed it; get it again");
    }
    first += static_cast<std::uint64_t>(count);
    into = into.subspan(idx(count));
  }
}

std::string read_text(const std::filesystem::path& file, std::uint64_t most) {
  const InputFile input(file);
  if (input.size() > most) {
    throw refused(file, fmt::format("it has {} bytes, more than the {} that it may have", input.size(), most),
                  "give another file");
  }
  std::string text(input.size(), '\0');
  input.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace trireme::checkpoint
