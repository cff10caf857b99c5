// The program `trireme-train`, which `trireme train` starts: TOML in its first argument; after it perhaps
// --json, and --lock with the number of the open file by which `trireme train` has taken the run's folder.
// All that needs libtorch is here, so that `trireme` itself starts without it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/cores.h"
#include "base/system/fd.h"
#include "base/system/out_file.h"
#include "base/system/output.h"
#include "base/text.h"
#include "checkpoint/names.h"
#include "checkpoint/saved.h"
#include "launch/logs.h"
#include "launch/signals.h"
#include "train/compute_threads.h"
#include "train/load_train_config.h"
#include "train/output/run_folder.h"
#include "train/output/summary.h"
#include "train/start.h"
#include "train/step_board.h"
#include "train/stop_request.h"
#include "train/train_job.h"
#include "trainer/worker.h"
#include "world/world.h"

namespace trireme::trainer {
namespace {

struct Arguments {
  std::string config;
  bool json = false;
  std::optional<int> lock;
  std::string resume;  // a checkpoint
};

Arguments read_arguments(std::span<char*> words) {
  Arguments arguments;
  bool understood = words.size() > 1;
  if (understood) arguments.config = words[1];
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--json") {
      arguments.json = true;
    } else if (word == "--resume" && i + 1 < words.size()) {
      arguments.resume = words[++i];
    } else if (word == "--lock" && i + 1 < words.size()) {
      arguments.lock = static_cast<int>(parse_integer(words[++i], "--lock", 0, INT_MAX));
    } else {
      understood = false;
    }
  }
  if (understood) return arguments;
  throw bad_input(
      "trireme-train takes a configuration as TOML, and perhaps --json, --resume FOLDER and --lock NUMBER "
      "after it",
      "use trireme train, which starts it");
}

train::TrainJob prepare(const Arguments& arguments) {
  train::TrainJob job;
  job.started = train::process_start();
  job.config = train::read_train_config(arguments.config, "the configuration");
  job.config_text = train::to_repeat(job.config);
  job.json = arguments.json;
  if (!arguments.resume.empty()) job.from = checkpoint::Saved::open(arguments.resume);
  return job;
}

// What would make the training fail before its first step, or after its last.
void check_files(const train::TrainJob& job) {
  const data::Dataset& train = job.data.train;
  if (job.from) {
    job.from->require_whole();
    train::require_same_model(job.config, train, job.from->open_file(checkpoint::kWeightsFile));
  } else if (!job.config.model.init.empty()) {
    train::require_same_model(job.config, train, checkpoint::SafetensorsFile(job.config.model.init));
  }
  if (!job.config.run.save.empty()) const OutFile can_be_written(job.config.run.save);
}

void load_data(train::TrainJob& job) {
  if (!job.from) {
    job.data = train::load_data(job.config);
    return;
  }
  job.data = train::load_data(job.config, train::normalization_in(*job.from), &job.from->state());
}

// Workers that exchange nothing have nothing in common that could be saved.
bool saves_when_interrupted(const train::TrainConfig& config) {
  const bool keeps = !config.run.out.empty() || !config.run.save.empty();
  return keeps && config.exchange.strategy != "none";
}

// Empty if there is no folder, or if rank 0 has it.
Fd take_folder(const train::TrainJob& job, std::optional<int> lock, Rank rank) {
  const std::string& out = job.config.run.out;
  if (out.empty()) return {};
  if (!lock) return train::take_run_folder(out, rank, train::run_start(job));
  ::fcntl(*lock, F_SETFD, FD_CLOEXEC);
  return Fd(*lock);
}

// The terminal on which a line can be overwritten. Standard error of a node becomes a pipe; this does not.
Fd terminal_of_people() {
  return Fd(::isatty(STDERR_FILENO) == 1 ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1);
}

launch::OldLog old_logs(const train::TrainJob& job) {
  return train::step_to_go_on_from(job) ? launch::OldLog::kContinued : launch::OldLog::kEmptied;
}

void share_cores(train::TrainJob& job, Rank nodes_here) {
  job.cores = Cores().count();
  job.nodes_here = nodes_here;
  job.threads = train::threads_of_worker(job.config.train.threads, job.cores, nodes_here);
}

int train_in_world(train::TrainJob job, world::FoundWorld found) {
  job.config.exchange.workers = found.size - job.config.exchange.servers;  // the last ranks
  if (job.config.exchange.wire != wire::WireKind::kAuto) found.wire = job.config.exchange.wire;
  found.timeout = job.config.exchange.timeout;
  load_data(job);
  if (found.rank == 0) check_files(job);
  if (saves_when_interrupted(job.config)) train::stop_on_signals();
  share_cores(job, found.local_size.value_or(found.size));
  const Fd terminal = terminal_of_people();
  if (terminal) job.terminal = terminal.get();
  // A launcher reads from a pipe, to which whole blocks would go: lines come out as they are printed.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  bool to_the_end = true;
  const int status = train::run_in_world(found, [&](World& world) {
    if (!job.config.run.out.empty()) {
      world.barrier();  // rank 0 comes when it has the folder: until then the logs may be another job's
      keep_output(launch::open_log(job.config.run.out, world.rank(), old_logs(job)));
    }
    to_the_end = take_part(world, job);
  });
  return status == kExitDone && !to_the_end ? kExitInterrupted : status;
}

int train_here(train::TrainJob job, const Fd& lock) {
  const train::TrainConfig::Exchange& exchange = job.config.exchange;
  load_data(job);
  check_files(job);
  share_cores(job, exchange.workers);
  train::StartOptions options;
  options.nodes = job.config.run.replay.empty() ? exchange.workers + exchange.servers : 1;
  options.wire = exchange.wire;
  options.timeout = exchange.timeout;
  if (!job.config.run.out.empty()) options.logs = job.config.run.out;
  const Fd terminal = terminal_of_people();
  if (terminal) options.terminal = job.terminal = terminal.get();
  if (lock) options.lock = lock.get();
  if (options.wire != wire::WireKind::kThreads) options.signals = &launch::CaughtSignals::to_the_end();
  train::StepBoard steps(options.nodes);
  options.steps = job.steps = &steps;
  options.is_kept = !job.config.run.out.empty();
  options.interrupted = [&] {
    if (!job.json || steps.concluded()) return;
    write_output(report::document_text(
        train::interrupted_json(job.config, steps.reached(), train::newest_checkpoint(job.config))));
  };
  options.continues_logs = old_logs(job) == launch::OldLog::kContinued;
  options.saves_when_interrupted = saves_when_interrupted(job.config);
  options.how_to_go_on = [&] { return train::how_to_go_on(job.config); };
  return train::run_here(options, [&](World& world) { take_part(world, job); });
}

int run(int argc, char** argv) {
  const Arguments arguments = read_arguments({argv, idx(argc)});
  const world::FoundWorld found = world::find_world();
  train::TrainJob job = prepare(arguments);
  const bool forks = !world::is_launched(found) && job.config.exchange.wire != wire::WireKind::kThreads;
  if (forks) train::keep_to_one_thread(argv);
  const Fd lock = take_folder(job, arguments.lock, found.rank);
  return world::is_launched(found) ? train_in_world(std::move(job), found) : train_here(std::move(job), lock);
}

}  // namespace
}  // namespace trireme::trainer

int main(int argc, char** argv) {
  trireme::occupy_standard_streams();
  ::prctl(PR_SET_NAME, "trireme-train");  // started anew by /proc/self/exe it would be called "exe"
  try {
    return trireme::trainer::run(argc, argv);
  } catch (const std::exception& error) {
    trireme::train::say_of_train(error.what());
    return trireme::exit_status_of(trireme::failure_of(error));
  }
}
