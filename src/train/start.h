// Starts the nodes of a training on this host, or takes part in a job that somebody else has started.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "api/world_impl.h"
#include "base/types.h"
#include "wire/wire_kind.h"
#include "world/world.h"

namespace trireme::launch {
class CaughtSignals;
}

namespace trireme::train {

class StepBoard;

struct StartOptions {
  Rank nodes = 1;
  wire::WireKind wire = wire::WireKind::kAuto;  ///< or kShm, kTcp, kThreads
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  std::optional<std::filesystem::path> logs{};  ///< as in JobOptions; threads have none
  bool continues_logs = false;
  /// A terminal on which rank 0 writes a line over in place: it stays open in the nodes under this number.
  std::optional<int> terminal{};
  /// The lock on the run's folder, which also stays open in the nodes under this number.
  std::optional<int> lock{};
  /// The board on which the body says how far it is, for the message about the first failure.
  const StepBoard* steps = nullptr;
  /// As in JobOptions.
  launch::CaughtSignals* signals = nullptr;
  /// The result is kept elsewhere, so that the job goes on where nobody reads standard output any more.
  bool is_kept = false;
  /// After SIGINT, SIGTERM or SIGHUP the nodes end the training in order and save it, for which they have the
  /// timeout. SIGINT once more ends it at once.
  bool saves_when_interrupted = false;
  /// Called where a signal has ended the job, before that is said.
  std::function<void()> interrupted{};
  /// Where the training can go on, for the last line of a job that has not ended well; or empty.
  std::function<std::string()> how_to_go_on{};
};

/// The part of each node. When it throws, the others are told.
using WorldBody = std::function<void(World&)>;

/// Runs the body on so many nodes and waits for all: in processes that are forked from this one, which share
/// what it has loaded, or for `threads` in threads. Lines of rank 0 go to standard output and error as they
/// are, those of others after their rank. Says on standard error why it failed, and returns the status.
/// Throws `Error` when it cannot start.
[[nodiscard]] int run_here(const StartOptions& options, const WorldBody& body);

/// Runs the body as one node of a job.
[[nodiscard]] int run_in_world(const world::FoundWorld& found, const WorldBody& body);

/// Why a node gives up, for all others.
[[nodiscard]] Failure failure_of(const std::exception& exception, Rank rank);
/// Tells all others, before anything else can, why this node gives up. Leaving again does nothing.
void leave(World& world, const std::exception& why);

/// When the system has started this process, before it had loaded anything.
[[nodiscard]] std::chrono::steady_clock::time_point process_start();

/// "trireme train: SENTENCE" on standard error.
void say_of_train(const std::string& sentence);

}  // namespace trireme::train
