#include "sim/events/free_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/share.h"
#include "sim/events/event_queue.h"
#include "sim/events/links.h"
#include "sim/events/pace.h"
#include "sim/model/byte_sum.h"
#include "sim/model/compute_time.h"
#include "sim/model/costs.h"

namespace trireme::sim {
namespace {

struct Worker {
  std::int64_t turn = 0;  // computations so far; a new one makes pushes and answers of the last one obsolete
  Picoseconds start = 0;
  Picoseconds computing = 0;  // the duration of the current computation
  bool has_next = false;      // there is a gradient left for it to compute
  bool computes = false;
  bool has_started = false;
  std::int64_t gradient = 0;  // asynchronous: the number of the current one
  std::int64_t next_gradient = 0;
  std::int32_t answers = 0;           // shares whose weights have arrived
  std::vector<std::int64_t> read;     // by share: the version that the current computation has read
  std::vector<std::int64_t> next;     // the same for the next computation
  std::vector<std::int64_t> applied;  // by share: how many of its gradients were applied
};

struct Holder {
  Rank node = 0;
  std::int64_t bytes = 0;
  std::int64_t version = 0;
  Pace pace;
  Picoseconds busy_until = 0;
  std::vector<Rank> waiting;  // workers that wait for slower ones
  std::vector<Rank> came;     // backup: workers whose gradient arrived in this round
  std::int64_t round = 0;     // backup
};

class FreeRun {
 public:
  FreeRun(const Scenario& scenario, const plan::PlanSpec& spec, std::int64_t gradients, const SimWatch& watch,
          const SimProgress& progress, const WriteWatch& writes)
      : scenario_(scenario),
        spec_(spec),
        watch_(watch),
        progress_(progress),
        writes_(writes),
        gradients_(gradients),
        mode_(scenario.job.mode),
        costs_(scenario),
        roads_(scenario, spec.nodes()),
        left_(gradients),
        until_(scenario.job.until > 0 ? scenario.job.until : std::numeric_limits<Picoseconds>::max()),
        workers_(idx(spec.workers)),
        holders_(idx(plan::share_count(spec))) {
    for (std::size_t j = 0; j < holders_.size(); ++j) {
      holders_[j].node = plan::share_holder(spec, static_cast<std::int32_t>(j));
      holders_[j].pace = Pace(spec.workers);
      holders_[j].bytes = costs_.bytes(plan::share(spec, static_cast<std::int32_t>(j)).count);
    }
    for (Worker& worker : workers_) {
      worker.read.resize(holders_.size());
      worker.next.resize(holders_.size());
      worker.applied.resize(holders_.size());
    }
    result_.nodes.resize(idx(spec.nodes()));
  }

  [[nodiscard]] FreeResult run() {
    const auto& starts = scenario_.compute.starts;
    for (Rank rank = 0; rank < std::ssize(workers_); ++rank) {
      const Picoseconds start = idx(rank) < starts.size() ? starts[idx(rank)] : 0;
      events_.add({.time = start, .kind = Kind::kStart, .worker = rank});
    }
    while (!events_.empty()) {
      const Event event = events_.take();
      if (event.time > until_) break;
      handle(event);
      if (progress_ && ++handled_ % kEventsBetweenProgress == 0) progress_(part_done(event.time));
    }
    if (scenario_.job.until > 0) cut_off();
    for (NodeTimes& node : result_.nodes) node.end = result_.total;
    result_.bytes = bytes_.value();
    return std::move(result_);
  }

 private:
  // The fraction of the gradients or of the time that is done, whichever ends the job.
  [[nodiscard]] double part_done(Picoseconds now) const {
    if (scenario_.job.until > 0) return static_cast<double>(now) / static_cast<double>(until_);
    return static_cast<double>(result_.updates.size()) / static_cast<double>(gradients_);
  }

  enum class Kind : std::uint8_t { kStart, kGoOn, kComputed, kPush, kApplied, kAnswer };

  struct Event {
    Picoseconds time;
    Kind kind;
    Rank worker = 0;
    std::int64_t turn = 0;
    std::size_t share = 0;
    std::int64_t read = 0;  // of a push: the version of the share that its worker had read
    Trip trip = Trip::of_node(0);
  };

  [[nodiscard]] bool has_backups() const { return mode_.kind == Mode::Kind::kBackup; }

  void handle(Event event) {
    switch (event.kind) {
      case Kind::kStart:
        for (std::size_t j = 0; j < holders_.size(); ++j) of(event.worker).next[j] = holders_[j].version;
        of(event.worker).has_started = true;
        of(event.worker).turn = newest_version();  // with backup workers: it joins the current round
        hand_out(of(event.worker));
        return compute(event.worker, event.time);
      case Kind::kGoOn:
        return compute(event.worker, event.time);
      case Kind::kComputed:
        return computed(event);
      case Kind::kApplied:
        return has_backups() ? round_applied(event) : applied(event);
      case Kind::kPush:
      case Kind::kAnswer:
        return travel(event);
    }
  }

  [[nodiscard]] Worker& of(Rank rank) { return workers_[idx(rank)]; }

  // A worker is assigned its next gradient together with the weights that it gets.
  void hand_out(Worker& worker) {
    worker.has_next = left_ > 0;
    worker.next_gradient = gradients_ - left_;
    if (worker.has_next && !has_backups()) --left_;
  }

  void compute(Rank rank, Picoseconds time) {
    Worker& worker = of(rank);
    if (std::exchange(worker.computes, false)) give_up(worker, rank, time);
    ++worker.turn;
    worker.answers = 0;
    if (!worker.has_next) return;
    worker.read = worker.next;
    worker.gradient = worker.next_gradient;
    worker.start = time;
    worker.computes = true;
    worker.computing = compute_time(scenario_, rank, worker.turn - 1);
    events_.add(
        {.time = time + worker.computing, .kind = Kind::kComputed, .worker = rank, .turn = worker.turn});
  }

  // The worker's round ended before it had a gradient.
  void give_up(const Worker& worker, Rank rank, Picoseconds time) {
    ++result_.dropped;
    computed_until(worker, rank, time);
  }

  void computed_until(const Worker& worker, Rank rank, Picoseconds time) {
    result_.nodes[idx(rank)].computing += time - worker.start;
    tell(SimSpan::Kind::kCompute,
         {.time = time, .kind = Kind::kComputed, .worker = rank, .turn = worker.turn}, rank, rank,
         worker.start, time);
  }

  // The job ends while some workers still compute.
  void cut_off() {
    result_.total = until_;
    for (Rank rank = 0; rank < std::ssize(workers_); ++rank) {
      if (of(rank).computes) computed_until(of(rank), rank, until_);
    }
  }

  void computed(const Event& event) {
    if (event.turn != of(event.worker).turn) return;  // it has started a new computation in the meantime
    of(event.worker).computes = false;
    result_.nodes[idx(event.worker)].computing += of(event.worker).computing;
    tell(SimSpan::Kind::kCompute, event, event.worker, event.worker, of(event.worker).start, event.time);
    for (std::size_t turn = 0; turn < holders_.size(); ++turn) {
      Event push = event;
      push.kind = Kind::kPush;
      push.share = (turn + idx(event.worker)) % holders_.size();
      push.read = of(event.worker).read[push.share];
      push.trip = Trip(event.worker, holders_[push.share].node, holders_[push.share].bytes);
      send(push, event.worker, holders_[push.share].node);
    }
  }

  // Without bytes, or to the node itself, sending takes no time and is no message.
  void send(Event event, Rank from, Rank to) {
    const std::int64_t bytes = holders_[event.share].bytes;
    if (bytes == 0 || from == to) return arrived(event);
    ++result_.messages;
    bytes_.add(bytes);
    const Leg leg = roads_.leave(event.trip, event.time);
    result_.nodes[idx(from)].sending += leg.left - leg.start;
    tell(SimSpan::Kind::kSend, event, from, to, leg.start, leg.left);
    event.time = leg.next;
    events_.add(event);
  }

  void travel(Event event) {
    const Leg leg = roads_.go_on(event.trip, event.time);
    event.time = leg.next;
    if (!leg.arrived) return events_.add(event);
    result_.nodes[idx(event.trip.to())].receiving += leg.next - leg.start;
    tell(SimSpan::Kind::kReceive, event, event.trip.to(), event.trip.from(), leg.start, leg.next);
    if (event.kind == Kind::kAnswer) return answer_came(event);
    serve(event);
  }

  void arrived(const Event& event) { event.kind == Kind::kAnswer ? answer_came(event) : serve(event); }

  // A gradient has arrived at the holder of a share, which processes gradients in order of arrival.
  void serve(Event event) {
    Holder& holder = holders_[event.share];
    if (has_backups() && !completes_round(event, holder)) return;
    const std::int64_t gradients = has_backups() ? std::ssize(holder.came) : 1;
    const Picoseconds service =
        scenario_.server.aggregate + scenario_.server.update + gradients * costs_.adding(holder.bytes);
    event.time = holder.busy_until = std::max(holder.busy_until, event.time) + service;
    result_.nodes[idx(holder.node)].adding +=
        std::max<Picoseconds>(0, std::min(event.time, until_) - (event.time - service));
    tell(SimSpan::Kind::kAdd, event, holder.node, holder.node, event.time - service, event.time);
    event.kind = Kind::kApplied;
    events_.add(event);
  }

  // Pushing is the first step of the plan; answering is the second.
  void tell(SimSpan::Kind kind, const Event& event, Rank node, Rank peer, Picoseconds start,
            Picoseconds end) const {
    if (!watch_ || start == end) return;
    const bool receives = kind == SimSpan::Kind::kReceive;
    const OpId op = plan::op_id(spec_, event.kind == Kind::kAnswer ? 1 : 0, receives ? peer : node,
                                receives ? node : peer);
    const bool is_message = receives || kind == SimSpan::Kind::kSend;
    watch_({kind, node, peer, op, event.turn - 1, start, end, is_message ? holders_[event.share].bytes : 0});
  }

  void applied(const Event& event) {
    Holder& holder = holders_[event.share];
    Worker& worker = of(event.worker);
    note(event, worker, holder.version++);
    tell_write(event, worker.read[event.share], holder.version);
    const bool slowest_moved = holder.pace.go_on(worker.applied[event.share]++);
    if (mode_.kind != Mode::Kind::kSsp) return answer(event.share, event.worker, event.time);
    holder.waiting.push_back(event.worker);
    if (slowest_moved || !runs_ahead(event.share, event.worker)) release(event.share, event.time);
  }

  void note(const Event& event, const Worker& worker, std::int64_t version) {
    const std::int64_t read = worker.read[event.share];
    const std::int64_t staleness = version - read;
    result_.total = event.time;
    if (idx(staleness) >= result_.staleness.size()) result_.staleness.resize(idx(staleness) + 1);
    ++result_.staleness[idx(staleness)];
    if (event.share == 0) {
      result_.updates.push_back({event.worker, worker.start, event.time, read, staleness});
    }
  }

  void tell_write(const Event& event, std::int64_t read, std::int64_t version, bool dropped = false) {
    if (!writes_) return;
    const bool counts_all = mode_.kind == Mode::Kind::kAsync;
    writes_({.server = static_cast<std::int32_t>(event.share),
             .worker = event.worker,
             .gradient = counts_all ? of(event.worker).gradient
                                    : (event.turn - 1) * std::ssize(workers_) + event.worker,
             .read = read,
             .version = version,
             .dropped = dropped});
  }

  [[nodiscard]] bool runs_ahead(std::size_t share, Rank rank) {
    return of(rank).applied[share] - holders_[share].pace.slowest() > mode_.number;
  }

  // Answers the workers that are not too far ahead of the slowest.
  void release(std::size_t share, Picoseconds time) {
    std::vector<Rank>& waiting = holders_[share].waiting;
    std::vector<Rank> released;
    std::erase_if(waiting, [&](Rank rank) {
      if (runs_ahead(share, rank)) return false;
      released.push_back(rank);
      return true;
    });
    for (const Rank rank : released) answer(share, rank, time);
  }

  // A holder sends its current weights to a worker.
  void answer(std::size_t share, Rank rank, Picoseconds time) {
    of(rank).next[share] = holders_[share].version;
    if (share == 0) hand_out(of(rank));
    Event event{.time = time, .kind = Kind::kAnswer, .worker = rank, .turn = of(rank).turn, .share = share};
    event.trip = Trip(holders_[share].node, rank, holders_[share].bytes);
    send(event, holders_[share].node, rank);
  }

  void answer_came(const Event& event) {
    if (++of(event.worker).answers == std::ssize(holders_)) {
      // The time may be later than that of other events, so queue it.
      events_.add({.time = event.time, .kind = Kind::kGoOn, .worker = event.worker});
    }
  }

  // ---- backup workers

  bool completes_round(const Event& event, Holder& holder) {
    if (event.turn - 1 != holder.round) {
      if (event.share == 0) ++result_.dropped;
      tell_write(event, event.read, holder.version, true);
      return false;
    }
    holder.came.push_back(event.worker);
    if (std::ssize(holder.came) != std::ssize(workers_) - mode_.number) return false;
    ++holder.round;
    return true;
  }

  // While a share applies a round, others may have the next version.
  [[nodiscard]] std::int64_t newest_version() const {
    std::int64_t newest = 0;
    for (const Holder& holder : holders_) newest = std::max(newest, holder.version);
    return newest;
  }

  void round_applied(const Event& event) {
    Holder& holder = holders_[event.share];
    for (const Rank rank : holder.came) {
      Event one = event;
      one.worker = rank;
      note(one, of(rank), holder.version);
      tell_write(one, of(rank).read[event.share], holder.version + 1);
    }
    holder.came.clear();
    ++holder.version;
    if (event.share == 0) {
      ++result_.rounds;
      left_ -= std::min(left_, std::ssize(workers_) - mode_.number);
    }
    for (Rank rank = 0; rank < std::ssize(workers_); ++rank) {
      // One that has started in a later round than this share's does not wait for this answer.
      if (of(rank).has_started && of(rank).turn <= holder.version) answer(event.share, rank, event.time);
    }
  }

  const Scenario& scenario_;
  const plan::PlanSpec& spec_;
  const SimWatch& watch_;
  const SimProgress& progress_;
  const WriteWatch& writes_;
  const std::int64_t gradients_;
  const Mode mode_;
  const Costs costs_;
  Links roads_;
  std::int64_t left_;  // gradients not assigned to a worker yet
  const Picoseconds until_;
  std::vector<Worker> workers_;
  std::vector<Holder> holders_;
  EventQueue<Event> events_;
  std::int64_t handled_ = 0;
  ByteSum bytes_;
  FreeResult result_;
};

}  // namespace

FreeResult simulate_free(const Scenario& scenario, const plan::PlanSpec& spec, std::int64_t gradients,
                         const SimWatch& watch, const SimProgress& progress, const WriteWatch& writes) {
  return FreeRun(scenario, spec, gradients, watch, progress, writes).run();
}

std::int64_t bound_eta_delta(const std::vector<SimUpdate>& updates, std::int64_t sequential) {
  const std::int64_t pairs = std::min<std::int64_t>(std::ssize(updates), sequential);
  std::int64_t bound = std::max<std::int64_t>(std::ssize(updates), sequential) - pairs;
  bool same = true;
  for (std::int64_t k = 0; k < pairs; ++k) {
    same = same && updates[idx(k)].staleness == 0;
    if (!same) bound += 2;
  }
  return bound;
}

}  // namespace trireme::sim
