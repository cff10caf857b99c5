#include "checkpoint/summed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/system/blocked_signal.h"
#include "checkpoint/failure.h"

namespace trireme::checkpoint {
namespace {

// Blocks go to the disk while the next ones are summed up.
constexpr std::size_t kBlock = std::size_t{4} << 20;

}  // namespace

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib takes a null pointer for "give me the first value"
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

SummedFile::SummedFile(std::filesystem::path file) : file_(std::move(file)) {
  const int fd = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) fail_to_write(file_, errno);
  fd_ = own(fd, "write a file");
  sum_.name = file_.filename();
}

void SummedFile::write(std::span<const std::byte> bytes) {
  const BlockedSignal limit(SIGXFSZ);  // so that `write` reports the limit on the size of files as an error
  while (!bytes.empty()) {
    const std::span<const std::byte> block = bytes.first(std::min(bytes.size(), kBlock));
    if (!write_all(fd_.get(), {reinterpret_cast<const char*>(block.data()), block.size()}))
      fail_to_write(file_, errno);
    // Only begins to write; whether it succeeds is known in `finish`.
    if (block.size() == kBlock) {
      ::sync_file_range(fd_.get(), static_cast<off_t>(sum_.bytes), static_cast<off_t>(kBlock),
                        SYNC_FILE_RANGE_WRITE);
    }
    sum_.crc32 = crc32_of(block, sum_.crc32);
    sum_.bytes += block.size();
    bytes = bytes.subspan(block.size());
  }
}

FileSum SummedFile::finish() {
  // Some disks report that they are full only now.
  if (::fsync(fd_.get()) != 0) fail_to_write(file_, errno);
  fd_.reset();
  return sum_;
}

FileSum write_summed(const std::filesystem::path& file, std::string_view text) {
  SummedFile out(file);
  out.write(text);
  return out.finish();
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail_to_write(folder, errno);
  const Fd opened = own(fd, "open a folder");
  // Some file systems cannot do it, and say EINVAL.
  if (::fsync(opened.get()) != 0 && errno != EINVAL) fail_to_write(folder, errno);
}

}  // namespace trireme::checkpoint
