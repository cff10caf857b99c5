// What the tests of jobs share: folders that go away, and jobs whose output is caught.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "launch/job.h"

namespace trireme {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "trireme-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// A file that can be executed.
  [[nodiscard]] std::string script(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file) << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// A job that has ended, and what it printed.
struct Ran {
  JobEnd end;
  std::string out, err;
};

inline Ran run_caught(JobOptions options, const NodeBody& body) {
  const ScratchFolder scratch;
  const auto open_file = [&](const char* name) {
    return own(::open((scratch.path() / name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
               name);
  };
  const Fd out = open_file("out");
  const Fd err = open_file("err");
  options.out = out.get();
  options.err = err.get();
  Ran ran;
  ran.end = run_job(options, body);
  ran.out = content(scratch.path() / "out");
  ran.err = content(scratch.path() / "err");
  return ran;
}

inline NodeBody shell(const std::string& script) { return program({"sh", "-c", script}); }

/// Waits for something that must come, far longer than it can take.
template <typename Condition>
[[nodiscard]] bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// The letter of the process in /proc, or nothing when it is not there; a zombie counts as not there.
inline char state_of(pid_t process) {
  const std::string stat = content("/proc/" + std::to_string(process) + "/stat");
  const auto end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos || end_of_name + 2 >= stat.size()) return '\0';
  const char state = stat[end_of_name + 2];
  return state == 'Z' || state == 'X' ? '\0' : state;
}

inline bool is_there(pid_t process) { return state_of(process) != '\0'; }

}  // namespace trireme
