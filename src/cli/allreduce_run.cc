#include "cli/allreduce_run.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "launch/job.h"
#include "wire/in_process.h"
#include "wire/segment.h"
#include "wire/shm.h"

namespace trireme {
namespace {

void on_threads(const AllreduceCase& setting, const AllreduceTimes& times) {
  InProcessFabric fabric(setting.nodes());
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < setting.nodes(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        time_allreduce(fabric.wire(rank), setting, times);
      } catch (const Error& error) {
        fabric.wire(rank).leave(error.failure());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (const std::optional<Failure> failure = fabric.first_failure()) throw Error(*failure);
}

void on_processes(const AllreduceCase& setting, const AllreduceTimes& times) {
  const std::shared_ptr<Segment> segment = Segment::create(setting.nodes());
  JobOptions options;
  options.nodes = setting.nodes();
  options.prefix = false;
  options.out = options.err;
  options.inherited_fds = {segment->fd()};
  options.first_failure = [&] { return segment->first_failure(); };
  options.ended = [&](Rank rank, const RankEnd& end) { segment->bury(rank, end.process); };
  const JobEnd end = run_job(options, [&](Rank rank) {
    ShmWire wire(segment, rank);
    time_allreduce(wire, setting, times);
    return 0;
  });
  if (end.interrupted) std::exit(130);
  if (!end.first_failure) return;
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.what = end.first_failure->text;
  failure.hint = end.first_failure->hint;
  throw Error(failure);
}

}  // namespace

void run_allreduce(const AllreduceCase& setting, const AllreduceTimes& times) {
  if (setting.wire == "threads") return on_threads(setting, times);
  if (setting.wire == "shm") return on_processes(setting, times);
  throw bad_input(fmt::format("nothing can be timed on the wire '{}'", printable(setting.wire)));
}

}  // namespace trireme
