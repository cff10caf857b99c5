#include "sim/events/sync_run.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "plan/strategies/closed_form.h"
#include "sim/events/event_queue.h"
#include "sim/events/links.h"
#include "sim/events/step_source.h"
#include "sim/model/byte_sum.h"
#include "sim/model/compute_time.h"
#include "sim/model/costs.h"
#include "sim/model/job_plan.h"

namespace trireme::sim {
namespace {

// A message that arrived before its receiver reached the step that it belongs to.
struct Early {
  std::int64_t step;
  Picoseconds time;
  Picoseconds adding;
};

struct Node {
  StepSource steps;
  std::int64_t round = 0;
  std::int32_t bucket = 0;
  Picoseconds computed_from = 0;
  Picoseconds computation = 0;

  // The current step:
  std::int64_t step = -1;  // counted from the beginning of the job
  bool begun = false;      // its sends are under way
  Picoseconds begin = 0;
  Picoseconds ready = 0;  // as far as known: when all sends have left and all arrived messages are added
  Picoseconds adding_until = 0;
  std::int32_t missing = 0;  // messages that it waits for
  Picoseconds folding = 0;

  std::vector<Early> early;
  NodeTimes times;
};

class SyncRun {
 public:
  SyncRun(const Scenario& scenario, const plan::PlanSpec& spec, std::int64_t rounds, bool folds,
          const SimWatch& watch, const SimProgress& progress)
      : scenario_(scenario),
        spec_(spec),
        costs_(scenario),
        rounds_(rounds),
        folds_(folds),
        watch_(watch),
        progress_(progress),
        steps_(static_cast<std::int32_t>(plan::closed_form(spec).steps)),
        roads_(scenario, folds ? 1 : spec.nodes()) {
    const Rank nodes = folds ? 1 : spec.nodes();
    nodes_.reserve(idx(nodes));
    for (Rank rank = 0; rank < nodes; ++rank) {
      nodes_.push_back(Node{.steps = StepSource(spec_, rank, costs_, steps_), .early = {}, .times = {}});
    }
    result_.round_ends.assign(idx(rounds), 0);
  }

  [[nodiscard]] SyncResult run() {
    for (Rank rank = 0; rank < std::ssize(nodes_); ++rank) {
      if (begin_round(rank, start_of(rank))) proceed(rank, first_bucket(rank));
    }
    while (!events_.empty()) {
      most_ = std::max(most_, events_.size());
      handle(events_.take());
      if (progress_ && ++handled_ % kEventsBetweenProgress == 0) progress_(part_done());
    }
    return finish();
  }

 private:
  struct Event {
    Picoseconds time;
    std::int64_t step;
    Trip trip;  // a message's trip; for a node that begins its step, a trip without an end
    Picoseconds adding;
  };

  // All nodes advance together: none is more than one exchange ahead of another.
  [[nodiscard]] double part_done() const {
    const Node& node = nodes_.front();
    const double steps = static_cast<double>(rounds_) * scenario_.job.buckets * steps_;
    return std::clamp(static_cast<double>(node.step) / steps, 0.0, 1.0);
  }

  [[nodiscard]] Picoseconds start_of(Rank rank) const {
    const auto& starts = scenario_.compute.starts;
    return idx(rank) < starts.size() ? starts[idx(rank)] : 0;
  }
  [[nodiscard]] Picoseconds first_bucket(Rank rank) const {
    const Node& node = nodes_[idx(rank)];
    return node.computed_from + bucket_ready(scenario_, node.computation, 0);
  }

  // Returns false if no round is left.
  bool begin_round(Rank rank, Picoseconds time) {
    Node& node = nodes_[idx(rank)];
    node.times.end = time;
    if (time > kLatest) refuse_as_too_long("the simulated job", kLatest);
    if (node.round == rounds_) return false;
    node.bucket = 0;
    node.computed_from = time;
    node.computation = spec_.is_server(rank) ? 0 : compute_time(scenario_, rank, node.round);
    node.times.computing += node.computation;
    if (watch_ && node.computation > 0) {
      watch_({SimSpan::Kind::kCompute, rank, rank, 0, node.round, time, time + node.computation, 0});
    }
    node.steps.restart();
    return true;
  }

  // Runs a node from the moment when its last step was complete, up to a step in which it must wait.
  void proceed(Rank rank, Picoseconds time) {
    Node& node = nodes_[idx(rank)];
    for (;;) {
      if (const SimStep* step = node.steps.next()) {
        enter(node, *step, time);
        if (roads_.are_shared()) {  // then others may be first
          events_.add({time, node.step, Trip::of_node(rank), 0});
          return;
        }
        const std::optional<Picoseconds> complete = begin_step(rank);
        if (!complete) return;
        time = *complete;
      } else {
        const std::optional<Picoseconds> next = next_exchange(rank, time);
        if (!next) return;
        time = *next;
      }
    }
  }

  void enter(Node& node, const SimStep& step, Picoseconds time) const {
    const std::int64_t exchange = node.round * scenario_.job.buckets + node.bucket;
    node.step = exchange * steps_ + step.number;
    node.begun = false;
    node.begin = node.ready = time;
    node.missing = step.receives;
    node.folding = step.folding;
    // The server's time for a round is spent at the end of the round.
    if (step.updates && node.bucket == scenario_.job.buckets - 1) {
      node.folding += scenario_.server.aggregate + scenario_.server.update;
    }
  }

  // Sends the messages of the step. Returns when the step was complete, if it need not wait.
  std::optional<Picoseconds> begin_step(Rank rank) {
    Node& node = nodes_[idx(rank)];
    node.begun = true;
    for (const SimSend& send : node.steps.sends()) {
      Trip trip(rank, folds_ ? rank : send.to, send.bytes);
      const Picoseconds adding = send.is_added ? costs_.adding(send.bytes) : 0;
      const Leg leg = roads_.leave(trip, node.begin);
      tell(SimSpan::Kind::kSend, rank, send.to, node.step, leg.start, leg.left, send.bytes);
      node.ready = std::max(node.ready, leg.left);
      node.times.sending += leg.left - leg.start;
      events_.add({leg.next, node.step, trip, adding});
      ++result_.messages;
      bytes_.add(send.bytes);
    }
    std::erase_if(node.early, [&](const Early& one) {
      if (one.step != node.step) return false;
      take(rank, one.time, one.adding);
      return true;
    });
    return complete(rank);
  }

  // A message has arrived.
  void take(Rank rank, Picoseconds time, Picoseconds adding) {
    Node& node = nodes_[idx(rank)];
    if (adding > 0) {
      node.adding_until = std::max({node.adding_until, time, node.begin}) + adding;
      node.times.adding += adding;
      time = node.adding_until;
      tell(SimSpan::Kind::kAdd, rank, rank, node.step, time - adding, time, 0);
    }
    node.ready = std::max(node.ready, time);
    --node.missing;
  }

  std::optional<Picoseconds> complete(Rank rank) {
    Node& node = nodes_[idx(rank)];
    if (node.missing > 0) return std::nullopt;
    if (node.folding > 0) {
      node.ready = std::max(node.ready, node.adding_until) + node.folding;
      node.adding_until = node.ready;
      node.times.adding += node.folding;
      tell(SimSpan::Kind::kAdd, rank, rank, node.step, node.ready - node.folding, node.ready, 0);
    }
    node.step = -1;
    return node.ready;
  }

  void handle(const Event& event) {
    const Rank rank = event.trip.to();
    Node& node = nodes_[idx(rank)];
    if (event.trip.is_of_node()) {
      if (const auto time = begin_step(rank)) proceed(rank, *time);
      return;
    }
    Trip trip = event.trip;
    const Leg leg = roads_.go_on(trip, event.time);
    if (!leg.arrived) {
      events_.add({leg.next, event.step, trip, event.adding});
      return;
    }
    node.times.receiving += leg.next - leg.start;
    tell(SimSpan::Kind::kReceive, rank, trip.from(), event.step, leg.start, leg.next, trip.bytes());
    if (node.step != event.step || !node.begun) {
      node.early.push_back({event.step, leg.next, event.adding});
      return;
    }
    take(rank, leg.next, event.adding);
    if (const auto time = complete(rank)) proceed(rank, *time);
  }

  void tell(SimSpan::Kind kind, Rank rank, Rank peer, std::int64_t step, Picoseconds start, Picoseconds end,
            std::int64_t bytes) const {
    if (!watch_) return;
    const Rank from = kind == SimSpan::Kind::kReceive ? peer : rank;
    const Rank to = kind == SimSpan::Kind::kReceive ? rank : peer;
    const OpId op = plan::op_id(spec_, static_cast<std::int32_t>(step % steps_), from, to);
    watch_({kind, rank, peer, op, step / steps_, start, end, bytes});
  }

  // The start of a node's next exchange; nothing if the node is done.
  std::optional<Picoseconds> next_exchange(Rank rank, Picoseconds time) {
    Node& node = nodes_[idx(rank)];
    if (++node.bucket < scenario_.job.buckets) {
      node.steps.restart();
      return std::max(time, node.computed_from + bucket_ready(scenario_, node.computation, node.bucket));
    }
    Picoseconds& end = result_.round_ends[idx(node.round)];
    end = std::max(end, time);
    ++node.round;
    if (!begin_round(rank, time)) return std::nullopt;
    return first_bucket(rank);
  }

  SyncResult finish() {
    for (const Node& node : nodes_) {
      if (node.round != rounds_) throw std::logic_error("a simulation has come to a stop before its end");
      result_.nodes.push_back(node.times);
    }
    const std::int64_t copies = folds_ ? spec_.nodes() : 1;
    result_.messages *= copies;
    bytes_.multiply(copies);
    result_.bytes = bytes_.value();
    result_.most_in_flight = static_cast<std::int64_t>(most_);
    return std::move(result_);
  }

  const Scenario& scenario_;
  const plan::PlanSpec& spec_;
  const Costs costs_;
  const std::int64_t rounds_;
  const bool folds_;
  const SimWatch& watch_;
  const SimProgress& progress_;
  const std::int32_t steps_;  // of one exchange
  Links roads_;
  std::vector<Node> nodes_;
  EventQueue<Event> events_;
  std::size_t most_ = 0;
  std::int64_t handled_ = 0;  // events
  ByteSum bytes_;
  SyncResult result_;
};

}  // namespace

SyncResult simulate_sync(const Scenario& scenario, const plan::PlanSpec& spec, std::int64_t rounds,
                         const SimProgress& progress) {
  const SimWatch nobody;
  return SyncRun(scenario, spec, rounds, is_symmetric(scenario, spec), nobody, progress).run();
}

SyncResult simulate_sync_of_all(const Scenario& scenario, const plan::PlanSpec& spec, std::int64_t rounds,
                                const SimWatch& watch, const SimProgress& progress) {
  return SyncRun(scenario, spec, rounds, false, watch, progress).run();
}

}  // namespace trireme::sim
