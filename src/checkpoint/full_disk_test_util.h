// A disk that becomes full: in a process of its own, which sees another file system in the folder.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/system/fd.h"

namespace trireme::checkpoint {

inline constexpr int kNoSuchDisk = 77;  ///< this process may not mount anything

inline bool write_own(const std::string& name, const std::string& text) {
  const Fd file(::open(("/proc/self/" + name).c_str(), O_WRONLY | O_CLOEXEC));
  return write_all(file.get(), text);
}

/// Runs `function` in a child that has a file system of `bytes` in the folder, and returns what it returns,
/// or `kNoSuchDisk`.
template <typename Function>
int on_small_disk(const std::filesystem::path& folder, std::size_t bytes, const Function& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string options = "size=" + std::to_string(bytes);
    const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
    const std::string group = "0 " + std::to_string(::getegid()) + " 1";
    const bool is_mounted = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_own("setgroups", "deny") &&
                            write_own("uid_map", user) && write_own("gid_map", group) &&
                            ::mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
    int status = kNoSuchDisk;
    if (is_mounted) {
      try {
        status = function();
      } catch (...) {
        status = 99;
      }
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

}  // namespace trireme::checkpoint
