#include "world/meeting_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text.h"
#include "world/environment.h"

namespace trireme::world {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// How long a node tries to reach the rank 0 that a file names before it looks there again.
constexpr std::chrono::nanoseconds kTrial = 200ms;

std::optional<wire::rendezvous::Secret> given_secret(const FoundWorld& world) {
  if (world.secret) return wire::rendezvous::Secret::of(*world.secret, environment::kSecret);
  if (world.secret_file) return wire::rendezvous::Secret::read(*world.secret_file);
  return std::nullopt;
}

wire::rendezvous::Secret required_secret(const FoundWorld& world) {
  if (std::optional<wire::rendezvous::Secret> secret = given_secret(world)) return *secret;
  throw bad_input(fmt::format("nodes that meet at {} need a secret", printable(*world.meet)),
                  fmt::format("give all of them the same one in {}, or in a file of mode 0600 named by {}",
                              environment::kSecret, environment::kSecretFile));
}

// The words of rank 0 in the file: its address, and the secret if it has made one.
struct Notice {
  wire::rendezvous::Address address;
  std::string secret;
};

// The first line of a notice: by it rank 0 knows one of an earlier job, which it may remove.
constexpr std::string_view kMark = "trireme meeting 1";
constexpr const char* kNameAnother = "name a file that does not exist yet with TRIREME_MEET";

std::string text_of(const Notice& notice) {
  return fmt::format("{}\n{}\n{}\n", kMark, wire::rendezvous::to_string(notice.address), notice.secret);
}

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
  throw bad_input(fmt::format("{}, where the nodes meet, {}", printable(file.string()), why), kNameAnother);
}

// Nothing while it is not there. Throws `Error` where it is no notice, or one that others could have written
// or read.
std::optional<Notice> read_notice(const fs::path& file) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return std::nullopt;
  if (!fd && errno == ELOOP) refuse(file, "is a symbolic link");
  if (!fd) refuse(file, fmt::format("cannot be read: {}", std::strerror(errno)));
  struct stat status {};
  constexpr std::string_view kOfOthers = "is not a file of this user's alone";
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    refuse(file, kOfOthers);
  }
  std::array<char, 1024> text{};
  const ssize_t bytes = read_some(fd.get(), text);
  const std::string content(text.data(), bytes > 0 ? idx(bytes) : 0);
  const std::vector<std::string_view> lines = split(content, '\n');
  if (lines.size() != 4 || lines[0] != kMark || !lines[3].empty()) {
    refuse(file, "is there already and is no notice of a job; it was not touched");
  }
  if ((status.st_mode & 077) != 0) refuse(file, kOfOthers);
  return Notice{wire::rendezvous::parse_address(std::string(lines[1]), printable(file.string())),
                std::string(lines[2])};
}

// Written beside it and linked: nobody reads half of it, and nothing is ever written over.
void write_notice(const fs::path& file, const Notice& notice) {
  const fs::path beside = file.string() + fmt::format(".{}", ::getpid());
  const std::string what = fmt::format("write {}, where the nodes meet", printable(file.string()));
  const Fd fd =
      own(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), what.c_str());
  const bool written = write_all(fd.get(), text_of(notice)) && ::link(beside.c_str(), file.c_str()) == 0;
  const int error = errno;
  ::unlink(beside.c_str());
  errno = error;
  if (!written) throw_errno(what, kNameAnother);
}

// Removes the notice of an earlier job that was killed.
void remove_notice(const fs::path& file) {
  if (read_notice(file)) ::unlink(file.c_str());
}

// Called when all have met. By then somebody may have put something else there, which stays.
void remove_own_notice(const fs::path& file, const Notice& own) noexcept try {
  const std::optional<Notice> notice = read_notice(file);
  if (notice && text_of(*notice) == text_of(own)) ::unlink(file.c_str());
} catch (const Error&) {
  // It is not a notice any more.
}

// Rank 0 has come only now, and the notice that this node has read was that of an earlier job, at whose
// address somebody else listens by now.
bool is_replaced(const fs::path& file, const Notice& read) try {
  const std::optional<Notice> notice = read_notice(file);
  return notice && text_of(*notice) != text_of(read);
} catch (const Error&) {
  return false;  // nothing to go by
}

bool answers(const wire::rendezvous::Address& address, const Deadline& deadline) {
  try {
    const auto left = deadline.end() - Deadline::Clock::now();
    return static_cast<bool>(wire::rendezvous::connect_to(
        address, Deadline::after(std::min<std::chrono::nanoseconds>(kTrial, left))));
  } catch (const Error&) {
    return false;
  }
}

// A job that was killed leaves its notice behind: one where nobody answers is read again.
Notice await_notice(const fs::path& file, const FoundWorld& world, const Deadline& deadline) {
  while (!deadline.expired()) {
    const std::optional<Notice> notice = read_notice(file);
    if (notice && answers(notice->address, deadline)) return *notice;
    std::this_thread::sleep_for(2ms);
  }
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.rank = world.rank;
  failure.peer = failure.culprit = 0;
  failure.op = "meeting the other nodes";
  failure.what =
      fmt::format("rank 0 has not said in {} where it is, or nobody answers there", printable(file.string()));
  failure.elapsed = deadline.elapsed();
  failure.hint = "look at the output of rank 0; all nodes must see the same file";
  throw Error(std::move(failure));
}

wire::rendezvous::MeetingPlace place_for(const FoundWorld& world, wire::rendezvous::Address address) {
  wire::rendezvous::MeetingPlace place;
  place.rank = world.rank;
  place.size = world.size;
  place.address = std::move(address);
  return place;
}

// Rank 0 says where it listens.
MeetingPoint publish(const FoundWorld& world, const fs::path& file, const std::string& host) {
  const std::optional<wire::rendezvous::Secret> given = given_secret(world);
  wire::rendezvous::Secret secret = given ? *given : wire::rendezvous::Secret::random();
  Fd listener = wire::rendezvous::listen_at({host, 0});
  // Nobody knows which interface leads to the others; the one that leads out of here is the likeliest.
  wire::rendezvous::Address address{host.empty() ? wire::rendezvous::own_host_towards("192.0.2.1") : host,
                                    wire::rendezvous::port_of(listener)};
  remove_notice(file);
  const Notice notice{address, given ? std::string() : secret.text()};
  write_notice(file, notice);
  wire::rendezvous::MeetingPlace place = place_for(world, std::move(address));
  place.listener = std::move(listener);
  return {std::move(place), std::move(secret),
          std::shared_ptr<void>(nullptr, [file, notice](void*) { remove_own_notice(file, notice); })};
}

MeetingPoint look_up(const FoundWorld& world, const fs::path& file, const Deadline& deadline) {
  const std::optional<wire::rendezvous::Secret> given = given_secret(world);
  const Notice notice = await_notice(file, world, deadline);
  wire::rendezvous::Secret secret =
      given ? *given : wire::rendezvous::Secret::of(notice.secret, printable(file.string()));
  wire::rendezvous::MeetingPlace place = place_for(world, notice.address);
  place.has_moved = [file, notice] { return is_replaced(file, notice); };
  return {std::move(place), std::move(secret)};
}

bool listens(int fd) {
  int answer = 0;
  socklen_t length = sizeof(answer);
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &answer, &length) == 0 && answer != 0;
}

MeetingPoint at_address(const FoundWorld& world) {
  if (world.listener_fd && !listens(*world.listener_fd)) {
    throw bad_input(
        fmt::format("{}={} is no socket that listens", environment::kListener, *world.listener_fd),
        "leave it to trireme launch to set it");
  }
  wire::rendezvous::Secret secret = required_secret(world);
  const wire::rendezvous::Address address = wire::rendezvous::parse_address(*world.meet, environment::kMeet);
  if (address.port == 0 && !world.listener_fd) {
    throw bad_input(fmt::format("{}={}: nobody can be found at port 0", environment::kMeet, *world.meet),
                    "give a port that is free on the host of rank 0, such as 5000");
  }
  wire::rendezvous::MeetingPlace place = place_for(world, address);
  if (world.listener_fd && world.rank != 0) ::close(*world.listener_fd);  // it is rank 0's alone
  if (world.rank == 0) {
    place.listener =
        world.listener_fd ? Fd(*world.listener_fd) : wire::rendezvous::listen_as_told(place.address);
  }
  return {std::move(place), std::move(secret)};
}

// The place of processes of one host whose launcher gives them none. Only this user can look into the folder.
fs::path file_for_job(const FoundWorld& world) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("trireme-{}", ::geteuid());
  ::mkdir(folder.c_str(), 0700);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & 077) != 0) {
    throw bad_input(fmt::format("{} is not a folder of this user's alone", printable(folder.string())),
                    "remove it, or name a file for the nodes to meet with TRIREME_MEET");
  }
  return folder / fmt::format("{}-{}", *world.job_key, ::getppid());
}

bool meets_by_job_key(const FoundWorld& world) {
  const bool on_one_host = world.several_hosts == false || world.local_size == world.size;
  return world.job_key && on_one_host;
}

}  // namespace

void require_meeting_point(const FoundWorld& world) {
  if (world.meet && !world.meet->starts_with('/')) (void)required_secret(world);
  if (world.meet || meets_by_job_key(world)) return;
  if (world.source == "Slurm") {
    throw bad_input(
        fmt::format("this is rank {} of {} of a step of Slurm, but nothing connects it with the others",
                    world.rank, world.size),
        fmt::format("start it with srun --mpi=pmix, or set {}=host:port and a secret in {}",
                    environment::kMeet, environment::kSecretFile));
  }
  throw bad_input(
      fmt::format("this is rank {} of {}, but nothing connects it with the others", world.rank, world.size),
      fmt::format(
          "start the program with trireme launch, or say where to meet: {}=host:port, or the path of a "
          "file that all of them see",
          environment::kMeet));
}

MeetingPoint find_meeting_point(const FoundWorld& world, const Deadline& deadline) {
  const auto at_file = [&](const fs::path& file, const std::string& host) {
    return world.rank == 0 ? publish(world, file, host) : look_up(world, file, deadline);
  };
  require_meeting_point(world);
  if (world.meet && world.meet->starts_with('/')) return at_file(*world.meet, "");
  if (world.meet) return at_address(world);
  return at_file(file_for_job(world), "127.0.0.1");
}

Fd meet_on_loopback(FoundWorld& world) {
  Fd listener = wire::rendezvous::listen_at({"127.0.0.1", 0});
  world.meet = wire::rendezvous::to_string(
      wire::rendezvous::Address{"127.0.0.1", wire::rendezvous::port_of(listener)});
  world.secret = wire::rendezvous::Secret::random().text();
  world.listener_fd = listener.get();
  return listener;
}

}  // namespace trireme::world
