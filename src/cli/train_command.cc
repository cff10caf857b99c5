// `trireme train`: reads the training job from a file and flags and checks all of it before anything starts.
// The training itself is another program, trireme-train, so that this one starts without libtorch.
#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "base/system/output.h"
#include "base/text.h"
#include "checkpoint/names.h"
#include "checkpoint/saved.h"
#include "cli/command.h"
#include "cli/file_kind.h"
#include "cli/launched.h"
#include "launch/job.h"
#include "launch/mpirun.h"
#include "launch/program.h"
#include "train/load_train_config.h"
#include "train/output/run_folder.h"
#include "train/replayed_schedule.h"
#include "train/train_job.h"
#include "wire/mpi/mpi_launcher.h"
#include "world/environment.h"
#include "world/world.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
Without CONFIG.toml a small convolutional network learns Fashion-MNIST (Debian:
dataset-fashion-mnist). data.kind = csv, npy or idx trains on your own files.
--print-config shows every key, its meaning and where its value comes from; its
output is a valid CONFIG.toml. --set takes any key of it. A flag wins over
--set, --set over the file, the file over the defaults. --out RUNDIR keeps the
configuration, the metrics, a summary, what each worker printed, and a
checkpoint of the end; run.checkpoint_every adds others. --resume RUNDIR goes on
from the newest, with the configuration that is saved there unless something
else sets a key; --steps and --epochs count from the beginning of the run.

Under trireme launch, mpirun, srun or torchrun the workers are those that the
launcher has started. Alone, train starts its own.

Examples:
  trireme train
  trireme train --workers 2 --strategy ring --epochs 5 --out run1
  trireme train --set model.kind=mlp --set model.hidden=[256,128]
  trireme train --set data.kind=csv --set data.path=table.csv --set data.label=kind
  trireme train --workers 3 --servers 1 --strategy parameter-server
  trireme train --strategy parameter-server --mode async --out run1
  trireme train run1/config.toml --replay run1/schedule.jsonl
  trireme train --out run1 --set 'run.checkpoint_every="10 min"'
  trireme train --resume run1 --epochs 10
  trireme train --print-config > job.toml
  trireme train job.toml --set optimizer.rate=0.1
  trireme launch --hosts a:4,b:4 -- trireme train job.toml
)";

// Keys that have their own flag.
struct KeyFlag {
  const char* flag;
  const char* key;
  const char* type;
  const char* help;
};
constexpr std::array kKeyFlags = {
    KeyFlag{"--workers", "exchange.workers", "NUMBER", "how many workers (4)"},
    KeyFlag{"--servers", "exchange.servers", "NUMBER",
            "dedicated servers of parameter-server (1); 0: a share on each worker"},
    KeyFlag{"--strategy", "exchange.strategy", "STRATEGY",
            "strategy of the exchange; trireme explain --help lists them (auto)"},
    KeyFlag{"--mode", "exchange.mode", "MODE", "of dedicated servers: sync, async, ssp:K or backup:B (sync)"},
    KeyFlag{"--wire", "exchange.wire", "WIRE", "auto, shm, tcp, mpi or threads (auto)"},
    KeyFlag{"--steps", "train.steps", "NUMBER", "train this many steps; 0: as many as --epochs takes (0)"},
    KeyFlag{"--epochs", "train.epochs", "NUMBER", "passes over all samples, unless --steps is given (3)"},
    KeyFlag{"--seed", "train.seed", "NUMBER", "random seed (1)"},
    KeyFlag{"--out", "run.out", "RUNDIR", "folder for results and logs (default: not written)"},
    KeyFlag{"--save", "run.save", "FILE.safetensors",
            "file for the weights at the end (default: not written)"},
    KeyFlag{"--init", "model.init", "FILE.safetensors", "begin with these weights (default: random)"},
    KeyFlag{"--slow", "train.slow", "WORKER:FACTOR",
            "3:2.5: worker 3 takes 2.5 times as long to compute (default: none)"},
    KeyFlag{"--replay", "run.replay", "SCHEDULE",
            "apply the gradients of this schedule.jsonl once more, in one process"},
    KeyFlag{"--timeout", "exchange.timeout", "TIME", "deadline of one exchange (60s)"},
};

// The flags as typed.
struct Flags {
  std::string config;
  std::array<std::string, kKeyFlags.size()> of_keys;
  std::string resume;
  std::vector<std::string> sets;
  bool json = false, print_config = false;
};

train::TrainInputs inputs_of(const Flags& flags, const CLI::App& command,
                             const std::optional<checkpoint::Saved>& from) {
  train::TrainInputs inputs;
  if (from) inputs.saved = {from->config(), (from->folder() / checkpoint::kConfigFile).string()};
  if (const auto timeout = world::get_variable(world::environment::kTimeout))
    inputs.environment.push_back(
        config::read_typed("exchange.timeout", *timeout, world::environment::kTimeout));
  if (command.count("CONFIG") > 0) inputs.file = flags.config;
  inputs.sets = flags.sets;
  for (std::size_t i = 0; i < kKeyFlags.size(); ++i) {
    if (command.count(kKeyFlags[i].flag) == 0) continue;
    inputs.flags.push_back(config::read_typed(kKeyFlags[i].key, flags.of_keys[i], kKeyFlags[i].flag));
  }
  return inputs;
}

train::LoadedTrainConfig load(const train::TrainInputs& inputs) try {
  return train::load_train_config(inputs);
} catch (const Error&) {
  if (inputs.file) refuse_scenario(*inputs.file);
  throw;
}

void warn(const world::FoundWorld& world, const std::string& sentence) {
  if (world.rank == 0) write_error(fmt::format("trireme train: {}\n", sentence));
}

// The launcher decides the number of workers. A different number on the command line is an error; one in a
// file may belong to another job.
void take_workers(train::LoadedTrainConfig& loaded, const world::FoundWorld& world) {
  train::TrainConfig::Exchange& exchange = loaded.config.exchange;
  // Every process is a worker, unless the configuration says otherwise.
  if (exchange.servers > 0 && !loaded.sources.contains("exchange.servers") && exchange.mode != plan::Mode{}) {
    warn(world, "the last node is a server, which mode " + to_string(exchange.mode) +
                    " needs; --servers NUMBER takes more");
  } else if (exchange.servers > 0 && !loaded.sources.contains("exchange.servers")) {
    exchange.servers = 0;
    loaded.sources["exchange.servers"] = world.source;
    warn(world, "every worker holds a share of the weights; --servers NUMBER makes the last nodes servers");
  }
  const Rank workers = world.size - exchange.servers;
  if (workers < 1) {
    throw bad_input(fmt::format("{} has started {}, and exchange.servers is {}", world.source,
                                counted(world.size, "node"), exchange.servers),
                    "start more, or give fewer servers: there must be a worker");
  }
  const auto source = loaded.sources.find("exchange.workers");
  if (source != loaded.sources.end() && exchange.workers != workers) {
    const std::string what = fmt::format("exchange.workers is {} ({})", exchange.workers, source->second);
    if (source->second.starts_with("--")) {
      throw bad_input(fmt::format("{}, but {} has started {} nodes", what, world.source, world.size),
                      "leave it out");
    }
    warn(world, fmt::format("{}, but {} has started {}: training with these", what, world.source,
                            counted(workers, "worker")));
  }
  exchange.workers = workers;
  loaded.sources["exchange.workers"] = world.source;
}

// Runs as one of the processes that another launcher has started.
void take_world(train::LoadedTrainConfig& loaded, const world::FoundWorld& world) {
  take_workers(loaded, world);
  const auto source = loaded.sources.find("exchange.wire");
  if (source == loaded.sources.end()) return;
  const wire::WireKind wire = loaded.config.exchange.wire;
  refuse_another_wire(wire, world, fmt::format("exchange.wire is {} ({})", wire::name(wire), source->second),
                      "trireme train");
}

void warn_of_lost_checkpoints(const train::LoadedTrainConfig& loaded, const world::FoundWorld& world) {
  const train::TrainConfig& config = loaded.config;
  if (config.run.checkpoint_every == train::TrainConfig::Interval()) return;
  if (config.run.out.empty()) warn(world, "no checkpoints without a folder for them: --out RUNDIR");
  if (config.exchange.strategy == "none") {
    warn(world, "no checkpoints with the strategy none: its workers have no weights in common");
  }
}

Rank nodes_of(const train::TrainConfig& config) { return config.exchange.workers + config.exchange.servers; }

void refuse_too_many(const train::TrainConfig& config) {
  const std::int64_t nodes = std::int64_t{config.exchange.workers} + config.exchange.servers;
  if (nodes <= launch::JobOptions::kMaxNodes) return;
  throw bad_input(
      fmt::format("{} and {} are too many for one host", counted(config.exchange.workers, "worker"),
                  counted(config.exchange.servers, "server")),
      fmt::format("give at most {} together", with_commas(launch::JobOptions::kMaxNodes)));
}

// The trainer beside this program, in a build folder; or the installed one.
std::string find_trainer() {
  const std::filesystem::path folder = std::filesystem::path(launch::own_program()).parent_path();
  for (const char* const place : {"trireme-train", "../libexec/trireme/trireme-train"}) {
    const std::filesystem::path file = (folder / place).lexically_normal();
    if (std::filesystem::exists(file)) return file.string();
  }
  throw bad_input(fmt::format("there is no trireme-train beside trireme in {}", printable(folder.string())),
                  "build it, with libtorch installed (Debian: libtorch-dev): make build");
}

// The checkpoint from which it goes on, with words about newer ones that are not complete.
std::optional<checkpoint::Saved> open_checkpoint(const std::string& folder, const world::FoundWorld& world) {
  if (folder.empty()) return std::nullopt;
  checkpoint::Saved saved = checkpoint::Saved::open(folder);
  for (const std::string& sentence : saved.passed_over()) warn(world, sentence);
  return saved;
}

// Unless told otherwise, a training goes on in the folder that it began in. An evaluation alone writes
// nothing.
void take_folder_of(const checkpoint::Saved& from, train::LoadedTrainConfig& loaded) {
  const bool trains = loaded.config.train.epochs > 0 || loaded.config.train.steps > 0;
  if (loaded.sources.contains("run.out") || !trains) return;
  loaded.config.run.out = train::run_of(from).string();
  loaded.sources["run.out"] = "--resume";
}

// Locks the folder for this job, which continues as another program. Empty if there is no folder, or if rank
// 0 has it.
Fd take_folder(const train::TrainConfig& config, const std::optional<checkpoint::Saved>& from, Rank rank) {
  if (config.run.out.empty()) return {};
  train::TrainJob job;
  job.config = config;
  job.from = from;
  Fd lock = train::take_run_folder(config.run.out, rank, train::run_start(job));
  if (lock) ::fcntl(lock.get(), F_SETFD, 0);
  return lock;
}

void train(const Flags& flags, const CLI::App& command) {
  if (flags.print_config && flags.json)
    throw bad_input("--print-config prints TOML, and --json JSON", "leave one of them out");
  const world::FoundWorld world = world::find_world();
  const bool is_node = world::is_launched(world);
  const std::optional<checkpoint::Saved> from = open_checkpoint(flags.resume, world);
  train::LoadedTrainConfig loaded = load(inputs_of(flags, command, from));
  train::take_schedule(loaded);
  if (from) take_folder_of(*from, loaded);
  if (is_node) {
    take_world(loaded, world);
  } else {
    refuse_too_many(loaded.config);
  }
  train::check_nodes(loaded.config);
  for (const std::string& sentence : train::unused_keys(loaded)) warn(world, sentence);
  warn_of_lost_checkpoints(loaded, world);
  if (flags.print_config) {
    if (world.rank == 0) write_output(train::explain_config(loaded));
    return;
  }
  std::vector<std::string> words = {find_trainer(), train::to_toml(loaded.config)};
  if (flags.json) words.emplace_back("--json");
  if (from) words.insert(words.end(), {"--resume", from->folder().string()});
  if (!is_node && loaded.config.exchange.wire == wire::WireKind::kMpi && !wire::mpi::mpi_launcher()) {
    if (const int status = launch::run_again_under_mpirun(nodes_of(loaded.config)); status != 0)
      std::exit(status);
    return;
  }
  train::look_at_data(loaded.config);
  const Fd lock = take_folder(loaded.config, from, world.rank);
  if (lock) words.insert(words.end(), {"--lock", std::to_string(lock.get())});
  (void)launch::program(words)(
      world.rank);  // replaces this process and keeps all that it inherited from the launcher
}

}  // namespace

void add_train(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("train", "Train a model on many workers");
  command->add_option("CONFIG", flags->config, "TOML file that describes the training")->type_name("");
  for (std::size_t i = 0; i < kKeyFlags.size(); ++i) {
    command->add_option(kKeyFlags[i].flag, flags->of_keys[i], kKeyFlags[i].help)
        ->type_name(kKeyFlags[i].type);
  }
  command
      ->add_option("--resume", flags->resume,
                   "go on with a run from its newest checkpoint, or from RUNDIR/checkpoints/step-N")
      ->type_name("RUNDIR");
  command->add_option("--set", flags->sets, "set any key of --print-config; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // so that CONFIG may follow
  command->add_flag("--json", flags->json, "print one JSON document")->disable_flag_override();
  command->add_flag("--print-config", flags->print_config, "print the configuration, and do not train")
      ->disable_flag_override();
  command->footer(kExamples);
  command->callback([=] {
    refuse_empty(*command);
    if (command->count("CONFIG") > 0 && flags->config.empty())
      throw bad_input("CONFIG is empty", "give a file or leave it out");
    train(*flags, *command);
  });
}

}  // namespace trireme::cli
