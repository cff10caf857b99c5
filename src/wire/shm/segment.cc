#include "wire/shm/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "wire/roster/roster.h"
#include "wire/shm/channel.h"

namespace trireme::wire::shm {
namespace {

constexpr std::uint64_t kMagic = 0x33656d6572697274;  // "trireme3": changes with the layout
constexpr std::size_t kPageBytes = 4096;

struct Head {
  std::uint64_t magic = 0;
  std::uint64_t nodes = 0;
  std::uint64_t allocated = 0;  // the end of what has been allocated; changed atomically
};

// The offset of each part of the control area.
struct Layout {
  explicit Layout(Rank node_count) {
    const std::size_t nodes = idx(node_count);
    ring_bytes =
        std::clamp(round_up((std::size_t{4} << 20) / nodes, 4096), std::size_t{4096}, std::size_t{128} << 10);
    roster = round_up(sizeof(Head), 128);
    bells = round_up(roster + Roster::bytes_for(node_count), 128);
    job_memory = round_up(bells + nodes * sizeof(Bell), kPageBytes);
    channels = job_memory + GroupMemory::bytes_for(node_count);
    channel_stride = round_up(sizeof(ChannelLines) + ring_bytes, kPageBytes);
    end = round_up(channels + nodes * nodes * channel_stride, Segment::kHugePage);
  }

  std::size_t ring_bytes;
  std::size_t roster;
  std::size_t bells;
  std::size_t job_memory;
  std::size_t channels;
  std::size_t channel_stride;
  std::size_t end;
};

// The parts of a group's memory.
struct GroupLayout {
  explicit GroupLayout(Rank node_count) {
    const std::size_t nodes = idx(node_count);
    signature_lines = tick_lines + nodes * sizeof(TickLine);
    stages = round_up(signature_lines + nodes * sizeof(SignatureLine), kPageBytes);
    end = stages + nodes * GroupMemory::kStageBytes;
  }

  std::size_t tick_lines = 128;  // behind the count of departures
  std::size_t signature_lines;
  std::size_t stages;
  std::size_t end;
};

Error system_error(const std::string& what, int error, const char* hint) {
  return bad_input(fmt::format("{}: {}", what, std::strerror(error)), hint);
}

Error not_to_be_had(std::size_t bytes, int error) {
  return system_error(
      fmt::format("{} of shared memory cannot be had", bytes_in_words(static_cast<std::int64_t>(bytes))),
      error, "free some memory, or use fewer workers or smaller buffers");
}

// The system sends a signal to a process that makes a file larger than its limit allows.
void require_file_size(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur)
    return;
  throw bad_input(fmt::format("{} of shared memory are more than the limit on the size of files, {}",
                              bytes_in_words(static_cast<std::int64_t>(bytes)),
                              bytes_in_words(static_cast<std::int64_t>(limit.rlim_cur))),
                  "raise it: ulimit -f unlimited");
}

// The file grows by its last page, which unlike ftruncate never cuts off what another node has taken
// meanwhile; the page itself is given back, to be taken with the others. Returns 0 or what is wrong.
int grow_to(int fd, std::size_t end) {
  constexpr off_t kPage = kPageBytes;
  const off_t last = static_cast<off_t>(end) - kPage;
  if (::fallocate(fd, 0, last, kPage) != 0) return errno;
  return ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, last, kPage) == 0 ? 0 : errno;
}

// Returns 0 or what is wrong. Pages are taken through a mapping that asks for huge ones: fallocate alone
// gives small ones unless the system makes all of them huge.
int take_memory(int fd, std::size_t offset, std::size_t bytes) {
  if (const int error = grow_to(fd, offset + bytes); error != 0) return error;
  const Mapping pages(fd, offset, bytes);
  if (::madvise(pages.data(), bytes, MADV_POPULATE_WRITE) == 0) return 0;
  if (errno != EINVAL) return errno;  // before Linux 5.14 it is not known
  return ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

// Above 2, which a process without standard output would take for it.
int make_file() {
  const int fd = ::memfd_create("trireme", MFD_CLOEXEC);
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int lifted = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(fd);
  errno = error;
  return lifted;
}

// A number from a file of the kernel; "max" or no such file: no limit.
std::size_t number_in(const char* path, const char* key) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return SIZE_MAX;
  char line[256];
  std::size_t number = SIZE_MAX;
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) != 0) continue;
    unsigned long long value = 0;
    if (std::sscanf(line + std::strlen(key), "%llu", &value) == 1) number = value;
    break;
  }
  std::fclose(file);
  return number;
}

std::size_t left_in_container(const char* limit_path, const char* used_path) {
  const std::size_t limit = number_in(limit_path, "");
  const std::size_t used = number_in(used_path, "");
  if (limit == SIZE_MAX || used == SIZE_MAX) return SIZE_MAX;
  return limit - std::min(limit, used);
}

}  // namespace

Mapping::Mapping(int fd, std::size_t offset, std::size_t bytes) : bytes_(bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) {
    throw system_error(
        fmt::format("{} of shared memory cannot be mapped", bytes_in_words(static_cast<std::int64_t>(bytes))),
        errno, "raise the limit of virtual memory (ulimit -v)");
  }
  data_ = static_cast<std::byte*>(data);
  // Only a wish: it is granted where /sys/kernel/mm/transparent_hugepage/shmem_enabled allows it.
  if (bytes >= Segment::kHugePage) ::madvise(data, bytes, MADV_HUGEPAGE);
}

Mapping::~Mapping() { ::munmap(data_, bytes_); }

std::size_t GroupMemory::bytes_for(Rank nodes) { return GroupLayout(nodes).end; }

TickLine& GroupMemory::tick_line(Rank node) const {
  return reinterpret_cast<TickLine*>(memory_ + GroupLayout(nodes_).tick_lines)[node];
}

SignatureLine& GroupMemory::signature_line(Rank node) const {
  return reinterpret_cast<SignatureLine*>(memory_ + GroupLayout(nodes_).signature_lines)[node];
}

std::byte* GroupMemory::stage(Rank node) const {
  return memory_ + GroupLayout(nodes_).stages + idx(node) * kStageBytes;
}

std::atomic<Rank>& GroupMemory::departures() const { return *reinterpret_cast<std::atomic<Rank>*>(memory_); }

Segment::Segment(int fd, Rank nodes) : fd_(fd), nodes_(nodes), control_(fd, 0, Layout(nodes).end) {}

Segment::~Segment() { ::close(fd_); }

std::shared_ptr<Segment> Segment::create(Rank nodes) {
  if (nodes < 1 || nodes > kMostNodes) {
    throw bad_input(fmt::format("{} nodes cannot share memory; 1 to {} can", nodes, kMostNodes));
  }
  const int fd = make_file();
  if (fd < 0) {
    throw system_error("no shared memory can be made (memfd_create)", errno,
                       "allow memfd_create in this container's seccomp profile");
  }
  try {
    require_file_size(Layout(nodes).end);
  } catch (const Error&) {
    ::close(fd);
    throw;
  }
  const Head head{kMagic, idx(nodes), Layout(nodes).end};
  const bool sized = ::ftruncate(fd, static_cast<off_t>(Layout(nodes).end)) == 0 &&
                     ::pwrite(fd, &head, sizeof(head), 0) == static_cast<ssize_t>(sizeof(head));
  if (!sized) {
    const int error = errno;
    ::close(fd);
    throw system_error("no shared memory can be made", error, "free some memory");
  }
  return std::shared_ptr<Segment>(new Segment(fd, nodes));
}

std::shared_ptr<Segment> Segment::open(int fd) {
  Head head;
  struct stat status {};
  const bool read =
      ::fstat(fd, &status) == 0 && ::pread(fd, &head, sizeof(head), 0) == static_cast<ssize_t>(sizeof(head));
  if (!read || head.magic != kMagic || head.nodes < 1 || head.nodes > idx(kMostNodes) ||
      idx(status.st_size) < Layout(static_cast<Rank>(head.nodes)).end) {
    throw bad_input(fmt::format("file descriptor {} is not the shared memory of a job of this version", fd),
                    "start the program with trireme launch of the same version");
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return std::shared_ptr<Segment>(new Segment(fd, static_cast<Rank>(head.nodes)));
}

std::optional<Failure> Segment::first_failure() const { return Roster(roster(), nodes_).first_failure(); }

void Segment::fail(const Failure& failure) { Roster(roster(), nodes_).fail(failure); }

bool Segment::has_ended(Rank node) const { return Roster(roster(), nodes_).has_left(node); }

void Segment::mark_dead(Rank node, pid_t process) { Roster(roster(), nodes_).mark_dead(node, process); }

std::byte* Segment::roster() const { return control_.data() + Layout(nodes_).roster; }

Bell& Segment::bell(Rank node) const {
  return reinterpret_cast<Bell*>(control_.data() + Layout(nodes_).bells)[node];
}

GroupMemory Segment::job_memory() const { return {control_.data() + Layout(nodes_).job_memory, nodes_}; }

std::byte* Segment::channel(Rank from, Rank to) const {
  const Layout layout(nodes_);
  return control_.data() + layout.channels + (idx(from) * idx(nodes_) + idx(to)) * layout.channel_stride;
}

std::size_t Segment::ring_bytes() const { return Layout(nodes_).ring_bytes; }

std::size_t Segment::windows_offset() const { return Layout(nodes_).end; }

std::size_t Segment::allocate(std::size_t bytes, std::size_t unit) const {
  std::atomic_ref<std::uint64_t> allocated(reinterpret_cast<Head*>(control_.data())->allocated);
  std::uint64_t end = allocated.load(std::memory_order_relaxed);
  for (;;) {
    const std::size_t offset = round_up(end, unit);
    if (allocated.compare_exchange_weak(end, offset + bytes, std::memory_order_relaxed)) return offset;
  }
}

void Segment::extend(std::size_t offset, std::size_t bytes) const {
  require_file_size(offset + bytes);
  if (const int error = grow_to(fd_, offset + bytes); error != 0) throw not_to_be_had(bytes, error);
}

void Segment::reserve(std::size_t offset, std::size_t bytes) const {
  require_file_size(offset + bytes);
  if (const int error = take_memory(fd_, offset, bytes); error != 0) throw not_to_be_had(bytes, error);
}

void Segment::release(std::size_t offset, std::size_t bytes) const noexcept {
  // Failing does no harm: the memory then goes with the job.
  (void)!::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                     static_cast<off_t>(bytes));
}

std::shared_ptr<Mapping> Segment::map(std::size_t offset, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<Mapping>& known = mappings_[offset];
  std::shared_ptr<Mapping> mapping = known.lock();
  if (mapping == nullptr) known = mapping = std::make_shared<Mapping>(fd_, offset, bytes);
  return mapping;
}

std::size_t memory_left() {
  const std::size_t kib = number_in("/proc/meminfo", "MemAvailable:");
  const std::size_t host = kib == SIZE_MAX ? SIZE_MAX : kib * 1024;
  const std::size_t v2 = left_in_container("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current");
  const std::size_t v1 = left_in_container("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                           "/sys/fs/cgroup/memory/memory.usage_in_bytes");
  const std::size_t left = std::min({host, v1, v2});
  return left - left / 10;  // who takes the last of it is killed by the system
}

void require_memory(std::size_t nodes, std::size_t stride, std::size_t left) {
  if (stride <= left / nodes) return;
  const auto in_words = [](std::size_t bytes) {
    return bytes_in_words(static_cast<std::int64_t>(std::min<std::size_t>(bytes, INT64_MAX)));
  };
  throw bad_input(
      fmt::format("the windows of {} need {} each of shared memory, {} are left in all",
                  counted(static_cast<std::int64_t>(nodes), "node"), in_words(stride), in_words(left)),
      "use smaller buffers or fewer workers, or give the host or container more memory (docker "
      "run --memory; the size of /dev/shm does not matter)");
}

}  // namespace trireme::wire::shm
