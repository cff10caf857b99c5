#include "launch/mpirun.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/fd.h"
#include "base/system/output.h"
#include "base/text.h"
#include "launch/job.h"
#include "launch/program.h"
#include "launch/signals.h"
#include "wire/mpi/mpi.h"
#include "world/environment.h"
#include "world/world.h"

namespace trireme::launch {
namespace {

constexpr int kSignalled = 128;  // plus the signal, as a shell says it

// Debian's own name for it first: `mpirun` may be another MPI's.
std::string find_mpirun() {
  constexpr std::array<const char*, 2> kNames = {"mpirun.openmpi", "mpirun"};
  for (const char* name : kNames) {
    try {
      return find_program(name);
    } catch (const Error&) {
    }
  }
  throw bad_input("there is no mpirun", "apt-get install openmpi-bin");
}

// This command as it was typed.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.empty()) throw bad_input("/proc/self/cmdline cannot be read");
  return words;
}

bool is_status_of_ours(const RankEnd& end) {
  return end.how == RankEnd::How::kExited && end.code <= kExitBadInput;
}

// Also tells the signal that a status of mpirun stands for.
std::string in_words(const RankEnd& mpirun) {
  const bool killed = mpirun.how == RankEnd::How::kKilled;
  const int signal = killed ? mpirun.code : mpirun.code - kSignalled;
  const char* description = signal > 0 ? sigdescr_np(signal) : nullptr;
  if (description == nullptr) return fmt::format("mpirun exited with status {}", mpirun.code);
  return fmt::format("{} was killed by signal {} ({})", killed ? "mpirun" : "a node of the job under mpirun",
                     signal, description);
}

// mpirun tells of the signals by which it ends its processes; whoever has sent one knows.
class QuietWhenInterrupted final : public JobObserver {
 public:
  bool line(Rank /*rank*/, NodeOutput which, std::string& /*line*/) override {
    interrupted_ = interrupted_ || !signals_.take().empty();
    return which == NodeOutput::kOut || !interrupted_;
  }

 private:
  CaughtSignals signals_;
  bool interrupted_ = false;
};

int tell_end(const JobEnd& end, const std::string& command) {
  if (end.interrupted) {
    write_error(fmt::format("{}: interrupted\n", command));
    return kExitInterrupted;
  }
  if (!end.first_failure) return kExitDone;
  const RankEnd& mpirun = end.ranks.front();
  const bool is_of_mpirun = mpirun.by_itself && !mpirun.ok();  // and not of the output
  // A program that ends with one of our own statuses has said why.
  if (is_of_mpirun && is_status_of_ours(mpirun)) return mpirun.code;
  const std::string what =
      is_of_mpirun ? in_words(mpirun) + "; look at what mpirun says above" : end.first_failure->text;
  write_error(fmt::format("{}: {}\n", command, what));
  return kExitFailed;
}

}  // namespace

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) throw_errno("find this program");
  return {path.data(), idx(length)};
}

std::vector<std::string> mpirun_words(Rank processes, const std::vector<std::string>& command) {
  if (!wire::mpi::mpi_version()) {
    throw bad_input("this build has no MPI", "apt-get install libopenmpi-dev openmpi-bin, and build again");
  }
  std::vector<std::string> words = {"env"};
  // These belong to a job around this one, all but the deadline, which mpirun is told to pass on.
  for (const char* name : world::environment::kAll) {
    if (std::string_view(name) != world::environment::kTimeout) words.insert(words.end(), {"-u", name});
  }
  words.insert(words.end(), {find_mpirun(), "--oversubscribe", "-n", std::to_string(processes), "-x",
                             world::environment::kTimeout});
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

int run_again_under_mpirun(Rank processes) {
  std::vector<std::string> command = own_words();
  const std::string name = command.size() > 1 ? command[1] : "";
  command[0] = own_program();
  const NodeBody body = program(mpirun_words(processes, command));
  write_error(fmt::format("trireme: the wire mpi needs an MPI launcher: starting again under mpirun -n {}\n",
                          processes));
  QuietWhenInterrupted observer;
  JobOptions options;
  options.timeout = world::find_timeout();
  options.prefix = false;
  options.observer = &observer;
  options.ends_when_stopped = false;  // mpirun is none of the nodes
  // mpirun puts each process that it starts into a group of its own, so that when it is killed itself they
  // live on for seconds, until they notice.
  options.ends_descendants = true;
  return tell_end(run_job(options, body), "trireme " + printable(name));
}

}  // namespace trireme::launch
