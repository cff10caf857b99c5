#include "wire/mpi/mpi_start.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/exit_status.h"
#include "base/system/output.h"
#include "base/system/process.h"
#include "base/text.h"
#include "wire/mpi/mpi_launcher.h"

namespace trireme::wire::mpi {
namespace {

constexpr const char* kJobVariable = "PMIX_NAMESPACE";
constexpr const char* kRankVariable = "PMIX_RANK";
// The name of the watch's thread; the other processes see by it that this process has reached the start of
// MPI.
constexpr const char* kThreadName = "mpi-start";
// The processes report what is late one after the other, so that usually only one does: when it ends, the
// launcher ends all others.
constexpr auto kTurn = std::chrono::milliseconds(50);
constexpr Rank kTurns = 20;

std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The value with which the process was started.
std::optional<std::string_view> variable_in(std::string_view environment, std::string_view name) {
  for (const std::string_view entry : trireme::split(environment, '\0')) {
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

bool has_start_watch(const std::filesystem::path& process) {
  std::error_code gone;  // a process may end at any time
  for (std::filesystem::directory_iterator task(process / "task", gone), end; !gone && task != end;
       task.increment(gone)) {
    if (content(task->path() / "comm") == fmt::format("{}\n", kThreadName)) return true;
  }
  return false;
}

// Empty if the process belongs to no job or to another one.
std::optional<MpiProcess> look_at(const std::filesystem::path& folder, std::string_view job) {
  const std::optional<int> id = number(folder.filename().native());
  if (!id) return std::nullopt;
  const std::string environment = content(folder / "environ");
  if (variable_in(environment, kJobVariable) != job) return std::nullopt;
  const std::optional<int> rank = number(variable_in(environment, kRankVariable).value_or(""));
  if (!rank) return std::nullopt;
  return MpiProcess{*rank, *id, state_of(*id) == ProcessState::kStopped, has_start_watch(folder)};
}

std::string in_words(const MpiProcess& one) {
  return fmt::format("rank {} (process {})", one.rank, one.process);
}

Failure failure_with(std::string what, std::string hint) {
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.op = "starting MPI";
  failure.what = std::move(what);
  failure.hint = std::move(hint);
  return failure;
}

// "rank 1 (process 11), rank 2 (process 12) SAYING"
Failure failure_of(std::span<const MpiProcess> culprits, std::string_view saying, std::string hint) {
  std::vector<std::string> names;
  for (const MpiProcess& one : culprits) names.push_back(in_words(one));
  Failure failure = failure_with(fmt::format("{} {}", fmt::join(names, ", "), saying), std::move(hint));
  failure.culprit = culprits.front().rank;
  return failure;
}

std::vector<MpiProcess> select(std::span<const MpiProcess> processes, bool (*wanted)(const MpiProcess&)) {
  std::vector<MpiProcess> selected;
  std::copy_if(processes.begin(), processes.end(), std::back_inserter(selected), wanted);
  return selected;
}

[[noreturn]] void end_late_start(const Deadline& deadline) {
  const std::vector<MpiProcess> processes = processes_of_mpi_job();
  const std::optional<LaunchedAs> launched = mpi_launcher();
  Failure failure = name_late(processes, launched ? launched->processes : 0);
  for (const MpiProcess& one : processes) {
    if (one.process == ::getpid()) failure.rank = one.rank;
  }
  failure.elapsed = deadline.elapsed();
  std::this_thread::sleep_for(kTurn * (1 + failure.rank.value_or(0) % kTurns));
  write_error(fmt::format("trireme: {}\n", to_string(failure)));
  ::_exit(kExitFailed);
}

void watch_until(const Deadline& deadline, const std::stop_token& started) {
  ::pthread_setname_np(::pthread_self(), kThreadName);
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, started, deadline.end(), [] { return false; });
  if (!started.stop_requested()) end_late_start(deadline);
}

}  // namespace

std::vector<MpiProcess> processes_of_mpi_job() {
  const char* const job = std::getenv(kJobVariable);
  std::map<Rank, MpiProcess> by_rank;
  std::error_code no_proc;
  for (std::filesystem::directory_iterator folder("/proc", no_proc), end; job != nullptr && folder != end;
       folder.increment(no_proc)) {
    const std::optional<MpiProcess> found = look_at(folder->path(), job);
    if (!found) continue;
    // A rank has several processes if a shell has started the program, or if the program has started others.
    const auto [place, first] = by_rank.emplace(found->rank, *found);
    MpiProcess& known = place->second;
    if (first) continue;
    if (found->stopped > known.stopped || (!known.stopped && found->has_come)) known.process = found->process;
    known.stopped = known.stopped || found->stopped;
    known.has_come = known.has_come || found->has_come;
  }
  std::vector<MpiProcess> processes;
  for (const auto& [rank, process] : by_rank) processes.push_back(process);
  return processes;
}

std::optional<Failure> name_stopped(std::span<const MpiProcess> processes) {
  const std::vector<MpiProcess> stopped =
      select(processes, [](const MpiProcess& one) { return one.stopped; });
  if (stopped.empty()) return std::nullopt;
  return failure_of(stopped, stopped.size() == 1 ? "is stopped" : "are stopped",
                    fmt::format("let it go on: kill -CONT {}", stopped.front().process));
}

Failure name_late(std::span<const MpiProcess> processes, Rank size) {
  if (processes.empty()) return failure_with("not all have come", "look at the output of the other ranks");
  if (std::optional<Failure> stopped = name_stopped(processes)) return *std::move(stopped);
  const std::vector<MpiProcess> away = select(processes, [](const MpiProcess& one) { return !one.has_come; });
  if (!away.empty()) {
    return failure_of(
        away, away.size() == 1 ? "has not come" : "have not come",
        "look at what it does before it joins, or give it longer: TRIREME_TIMEOUT, JoinOptions::timeout");
  }
  if (idx(size) > processes.size()) {
    return failure_with(
        fmt::format("all processes of this host have come; {} of {} are on other hosts, or have ended",
                    idx(size) - processes.size(), size),
        "look there");
  }
  return failure_with("all have come, and MPI does not start", "look at the output of mpirun");
}

MpiStartWatch::MpiStartWatch(const Deadline& deadline) {
  // The thread handles no signal of the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([deadline](const std::stop_token& started) { watch_until(deadline, started); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace trireme::wire::mpi
