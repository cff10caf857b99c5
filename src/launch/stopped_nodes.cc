#include "launch/stopped_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/system/process.h"
#include "launch/first_failure.h"

namespace trireme::launch {
namespace {

// How often the nodes are looked at: each look reads a file for every node.
constexpr LongStop::Clock::duration kStopLook = std::chrono::milliseconds(500);

bool is_stopped(const NodeProcess& node) { return state_of(node.process) == ProcessState::kStopped; }

Failure long_stop_failure(const std::vector<Rank>& stopped, bool others_ended,
                          std::chrono::nanoseconds timeout) {
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.culprit = stopped.front();
  const std::string limit = in_words(timeout);
  failure.what = stopped.size() == 1
                     ? fmt::format("it was so for longer than {}{}", limit,
                                   others_ended ? ", and all others had ended" : "")
                     : fmt::format("so were all nodes that had not ended (ranks {}) for longer than {}",
                                   fmt::join(stopped, ", "), limit);
  RankEnd end;
  end.stopped = true;
  failure.hint = remedy_for(end);
  return failure;
}

}  // namespace

bool mark_stopped(std::span<NodeProcess> nodes) {
  bool any = false;
  bool others = false;
  for (NodeProcess& node : nodes) {
    if (node.end) continue;
    const bool stopped = is_stopped(node);
    node.stopped = node.stopped || stopped;
    (stopped ? any : others) = true;
  }
  return any && !others;
}

LongStop::LongStop(std::chrono::nanoseconds timeout)
    : timeout_(std::min(timeout, std::chrono::nanoseconds::max() - kMorePatience)) {}

std::optional<Failure> LongStop::look(std::span<const NodeProcess> nodes, Clock::time_point now) {
  if (now < next_look_) return std::nullopt;
  next_look_ = now + kStopLook;
  std::vector<Rank> stopped;
  bool others = false;
  for (const NodeProcess& node : nodes) {
    if (node.end) continue;
    others = !is_stopped(node);
    if (others) break;
    stopped.push_back(node.rank);
  }
  if (!see(!others && !stopped.empty(), now)) return std::nullopt;
  return long_stop_failure(stopped, stopped.size() < nodes.size(), timeout_);
}

bool LongStop::see(bool all_are_stopped, Clock::time_point now) {
  const Clock::duration since = now - last_;
  last_ = now;
  const bool counts = were_stopped_ && all_are_stopped && since <= kNobodyLooked;
  stopped_ = counts ? stopped_ + since : all_are_stopped ? stopped_ : Clock::duration{};
  were_stopped_ = all_are_stopped;
  return stopped_ > timeout_ + kMorePatience;
}

}  // namespace trireme::launch
