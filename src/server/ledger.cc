#include "server/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace trireme::server {
namespace {

using Kind = plan::Mode::Kind;

}  // namespace

std::int64_t Staleness::updates() const {
  return std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& bar) { return sum + bar.second; });
}

std::int64_t Staleness::sum() const {
  return std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& bar) { return sum + bar.first * bar.second; });
}

std::int64_t Staleness::most() const { return histogram.empty() ? 0 : histogram.rbegin()->first; }

Ledger::Ledger(const LedgerSpec& spec) : spec_(spec), workers_(idx(spec.workers)), came_(idx(spec.workers)) {}

void Ledger::begin(const Phase& phase) {
  phase_ = phase;
  const bool counts_steps = spec_.mode.kind != Kind::kAsync;
  round_ = phase.first / spec_.workers;
  if (phase.gradients == Phase::kUnlimited) {
    end_ = std::numeric_limits<std::int64_t>::max();
    next_ = phase.first + spec_.workers;
  } else {
    const std::int64_t steps = phase.gradients / spec_.workers;
    end_ = !counts_steps                      ? phase.first + phase.gradients
           : spec_.mode.kind == Kind::kBackup ? round_ + steps
                                              : steps;
    next_ = phase.first + std::min<std::int64_t>(phase.gradients, spec_.workers);
  }
  left_ = 0;
  in_round_ = 0;
  came_.assign(came_.size(), false);
  released_.clear();
  wishes_ = 0;
  for (Rank rank = 0; rank < spec_.workers; ++rank) {
    Worker& worker = workers_[idx(rank)];
    worker = {.sequence = worker.sequence, .next = phase.begin_of(rank), .read = version_};
  }
}

void Ledger::check(const Worker& worker, Rank rank, const PushNote& note) const {
  const bool is_next = note.sequence == worker.sequence + 1;
  const bool is_known = note.sequence >= 1 && note.sequence <= worker.sequence;
  const bool has_sense =
      std::isfinite(note.rate) && note.rate >= 0 && note.gradient >= 0 && note.round <= round_;
  if (!worker.has_left && !worker.waits && (is_next || is_known) && has_sense) return;
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.peer = failure.culprit = rank;
  failure.what = fmt::format("worker {} pushes gradient {} as its number {} with rate {}, after {}", rank,
                             note.gradient, note.sequence, note.rate, worker.sequence);
  failure.hint = "start all nodes from the same version of Trireme";
  throw Error(std::move(failure));
}

Fate Ledger::push(Rank rank, const PushNote& note) {
  Worker& worker = workers_[idx(rank)];
  check(worker, rank, note);
  if (note.wishes != 0) {
    wishes_ |= note.wishes;
    stop();
  }
  if (note.sequence <= worker.sequence) {
    ++duplicates_;
    release(rank);
    return Fate::kDuplicate;
  }
  worker.sequence = note.sequence;
  worker.gradient = note.gradient;
  worker.next = AnswerNote::kNone;
  losses_.push_back(note.loss);
  if (std::ssize(losses_) > spec_.workers) losses_.pop_front();
  current_ = rank;
  staleness_ = version_ - worker.read;
  if (spec_.mode.kind != Kind::kBackup) return Fate::kApply;
  if (note.round != round_) {
    ++dropped_;
    record(rank, /*dropped=*/true);
    release(rank);
    return Fate::kDrop;
  }
  worker.waits = true;
  came_[idx(rank)] = true;
  ++in_round_;
  return completes_round() ? Fate::kComplete : Fate::kJoin;
}

// Of workers that are left, all but the backups; at least one.
bool Ledger::completes_round() const {
  const std::int64_t active = spec_.workers - left_;
  const std::int64_t enough = std::min<std::int64_t>(spec_.workers - spec_.mode.number, active);
  return in_round_ > 0 && in_round_ >= enough;
}

std::vector<Rank> Ledger::round() const {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < spec_.workers; ++rank) {
    if (came_[idx(rank)]) ranks.push_back(rank);
  }
  return ranks;
}

void Ledger::record(Rank rank, bool dropped) {
  if (!phase_.records) return;
  const Worker& worker = workers_[idx(rank)];
  writes_.push_back({.server = spec_.server,
                     .worker = rank,
                     .gradient = worker.gradient,
                     .read = worker.read,
                     .version = version_,
                     .dropped = dropped});
}

void Ledger::applied() {
  ++version_;
  const auto note = [&](Rank rank) {
    ++stale_.histogram[version_ - 1 - workers_[idx(rank)].read];
    record(rank, /*dropped=*/false);
  };
  switch (spec_.mode.kind) {
    case Kind::kSync:
    case Kind::kAsync:
      note(current_);
      return release(current_);
    case Kind::kSsp:
      note(current_);
      ++workers_[idx(current_)].clock;
      workers_[idx(current_)].waits = true;
      return release_paced();
    case Kind::kBackup:
      ++round_;
      for (const Rank rank : round()) {
        note(rank);
        release(rank);
      }
      came_.assign(came_.size(), false);
      in_round_ = 0;
      return;
  }
}

std::int64_t Ledger::slowest_clock() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Worker& worker : workers_) {
    if (!worker.has_left) least = std::min(least, worker.clock);
  }
  return least;
}

Rank Ledger::slowest() const {
  Rank found = 0;
  const auto is_better = [&](const Worker& a, const Worker& b) {
    if (a.has_left != b.has_left) return b.has_left;
    if (a.waits != b.waits) return b.waits;
    return a.clock < b.clock;
  };
  for (Rank rank = 1; rank < spec_.workers; ++rank) {
    if (is_better(workers_[idx(rank)], workers_[idx(found)])) found = rank;
  }
  return found;
}

// Those that are no further ahead of the slowest than they may be.
void Ledger::release_paced() {
  const std::int64_t slowest = slowest_clock();
  for (Rank rank = 0; rank < spec_.workers; ++rank) {
    const Worker& worker = workers_[idx(rank)];
    if (worker.waits && worker.clock - slowest <= spec_.mode.number) release(rank);
  }
}

void Ledger::release(Rank rank) {
  workers_[idx(rank)].waits = false;
  released_.push_back(rank);
}

std::vector<Rank> Ledger::take_released() { return std::exchange(released_, {}); }

Fate Ledger::leave(Rank rank, const PushNote& note) {
  Worker& worker = workers_[idx(rank)];
  if (note.wishes != 0) {
    wishes_ |= note.wishes;
    stop();
  }
  if (!std::exchange(worker.has_left, true)) ++left_;
  if (spec_.mode.kind == Kind::kSsp) release_paced();
  return spec_.mode.kind == Kind::kBackup && completes_round() ? Fate::kComplete : Fate::kDrop;
}

// The phase ends for all after the same number of steps, as soon as that is possible.
void Ledger::stop() {
  switch (spec_.mode.kind) {
    case Kind::kSync:
    case Kind::kAsync: {
      const std::int64_t n = spec_.workers;
      end_ = std::min(end_, phase_.first + (next_ - phase_.first + n - 1) / n * n);
      return;
    }
    case Kind::kSsp:
      end_ = std::min(end_, std::ranges::max_element(workers_, {}, &Worker::handed)->handed + 1);
      return;
    case Kind::kBackup:
      end_ = std::min(end_, round_ + 1);
      return;
  }
}

std::int64_t Ledger::next_number(Rank rank) {
  Worker& worker = workers_[idx(rank)];
  switch (spec_.mode.kind) {
    case Kind::kSync:
    case Kind::kAsync:
      // Whoever is answered a second time gets what the first answer said.
      if (worker.next == AnswerNote::kNone && next_ < end_) worker.next = next_++;
      return worker.next;
    case Kind::kSsp:
      if (worker.clock >= end_) return AnswerNote::kNone;
      worker.handed = worker.clock;
      return phase_.first + worker.clock * spec_.workers + rank;
    case Kind::kBackup:
      return round_ < end_ ? round_ * spec_.workers + rank : AnswerNote::kNone;
  }
  return AnswerNote::kNone;
}

std::int64_t Ledger::steps() const {
  switch (spec_.mode.kind) {
    case Kind::kSync:
    case Kind::kAsync:
      return (next_ - phase_.first) / spec_.workers;
    case Kind::kSsp:
      return std::ranges::max_element(workers_, {}, &Worker::clock)->clock;
    case Kind::kBackup:
      return round_ - phase_.first / spec_.workers;
  }
  return 0;
}

AnswerNote Ledger::answer(Rank rank) {
  workers_[idx(rank)].read = version_;
  AnswerNote note;
  note.wishes = wishes_;
  if (spec_.dispenses && !workers_[idx(rank)].has_left) note.next = next_number(rank);
  note.round = round_;
  note.steps = steps();
  note.updates = stale_.updates();
  note.staleness_sum = stale_.sum();
  note.staleness_most = stale_.most();
  for (const double loss : losses_) note.loss += loss / static_cast<double>(losses_.size());
  return note;
}

std::vector<schedule::Write> Ledger::take_writes() { return std::exchange(writes_, {}); }

}  // namespace trireme::server
