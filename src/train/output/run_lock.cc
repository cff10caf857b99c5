#include "train/output/run_lock.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/system/out_file.h"
#include "base/text.h"
#include "train/start.h"

namespace trireme::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = ".lock";

// The process that has the lock, as the file says, and its host.
struct Owner {
  pid_t process = 0;
  std::string host;
};

std::string own_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

Owner read_owner(const fs::path& file) {
  Owner owner;
  std::ifstream(file) >> owner.process >> owner.host;
  return owner;
}

bool is_running(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

// A process that has just taken the lock needs a moment to say who it is.
std::string owner_in_words(const fs::path& file) {
  Owner owner;
  for (int attempt = 0; attempt < 50; ++attempt) {
    owner = read_owner(file);
    if (owner.process > 0 && owner.host != own_host()) {
      return fmt::format("process {} on {}", owner.process, printable(owner.host));
    }
    if (is_running(owner.process)) return fmt::format("process {}", owner.process);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (owner.process > 0) return fmt::format("nodes that process {} has left behind", owner.process);
  return "another process";
}

}  // namespace

Fd lock_run_folder(const fs::path& folder) {
  const fs::path file = folder / kLock;
  Fd lock = open_own_file(file);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (reason == EWOULDBLOCK) {
      throw bad_input(fmt::format("{} is in use by {}", printable(folder.string()), owner_in_words(file)),
                      "wait until that has ended, or " + take_another_folder(folder));
    }
    say_of_train(fmt::format("{} cannot be locked: {}; let no other job write there",
                             printable(folder.string()), std::strerror(reason)));
  }
  if (::ftruncate(lock.get(), 0) != 0 ||
      !write_all(lock.get(), fmt::format("{} {}\n", ::getpid(), own_host()))) {
    throw_errno("write " + printable(file.string()), "make room on the disk");
  }
  return lock;
}

bool was_locked(const fs::path& folder) {
  std::error_code none;
  return fs::exists(fs::symlink_status(folder / kLock, none));
}

std::string take_another_folder(const fs::path& folder) {
  for (int number = 2;; ++number) {
    fs::path other = folder;
    other += fmt::format("-{}", number);
    if (!fs::exists(other)) return fmt::format("take another folder, such as {}", printable(other.string()));
  }
}

}  // namespace trireme::train
