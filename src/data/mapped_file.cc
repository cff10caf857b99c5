#include "data/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "data/byte_source.h"

namespace trireme::data {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  require_data_file(path);
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) refuse_to_read(path, errno);
  return std::shared_ptr<const MappedFile>(new MappedFile(file, path));
}

std::shared_ptr<const MappedFile> MappedFile::of_unnamed(const Fd& file) {
  return std::shared_ptr<const MappedFile>(new MappedFile(file, ""));
}

MappedFile::MappedFile(const Fd& file, std::string path) : path_(std::move(path)) {
  const std::string name = path_.empty() ? "a temporary file" : path_;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse_to_read(name, errno);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  const std::size_t size = idx(status.st_size);
  if (size == 0) return;  // nothing cannot be mapped
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) refuse_to_read(name, errno);
  bytes_ = {static_cast<const std::uint8_t*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

// By its name, because descriptors are closed in forked workers. Another file of this name does no harm.
void MappedFile::require_whole() const {
  struct stat status {};
  if (path_.empty() || ::stat(path_.c_str(), &status) != 0) return;
  if (status.st_dev != device_ || status.st_ino != inode_) return;
  if (idx(status.st_size) >= bytes_.size()) return;
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what = fmt::format("{} was cut while it was in use: it held {}, and now {}", path_,
                             counted(std::ssize(bytes_), "byte"), counted(status.st_size, "byte"));
  failure.hint = "leave the file alone during a training; replace it by renaming another one";
  throw Error(failure);
}

void MappedFile::expect(std::span<const std::uint8_t> bytes) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(bytes.data()) % page;  // on the first page
  ::madvise(const_cast<std::uint8_t*>(bytes.data()) - before, before + bytes.size(), MADV_WILLNEED);
}

void MappedFile::advise(Use use) const {
  if (bytes_.empty()) return;
  // Advice alone: where it is not taken, reading is only slower.
  ::madvise(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(),
            use == Use::kAnywhere ? MADV_RANDOM : MADV_SEQUENTIAL);
}

}  // namespace trireme::data
