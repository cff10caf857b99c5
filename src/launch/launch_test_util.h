// Shared by the tests of jobs: jobs whose output is caught, and that are acted upon when they have started.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/system/fd.h"
#include "base/system/process_test_util.h"
#include "base/system/scratch_folder_test_util.h"
#include "launch/job.h"

namespace trireme::launch {

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

/// Does something when all processes are there.
class WhenStarted final : public JobObserver {
 public:
  using Act = std::function<void(std::span<const pid_t> ids)>;

  explicit WhenStarted(Act act) : act_(std::move(act)) {}
  void started(std::span<const pid_t> ids) override { act_(ids); }

 private:
  Act act_;
};

inline NodeBody shell(const std::string& script) { return program({"sh", "-c", script}); }

/// The letter of the process in /proc, or nothing when it is not there; a zombie counts as not there.
inline char state_letter_of(pid_t process) {
  const std::string stat = content("/proc/" + std::to_string(process) + "/stat");
  const auto end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos || end_of_name + 2 >= stat.size()) return '\0';
  const char state = stat[end_of_name + 2];
  return state == 'Z' || state == 'X' ? '\0' : state;
}

inline bool is_there(pid_t process) { return state_letter_of(process) != '\0'; }

}  // namespace trireme::launch
