// Workers that push in any order, one after the other, as a ledger has them do: what a server and its workers
// make of it, without weights, messages and threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/ledger.h"

namespace trireme::server {

class Pushing {
 public:
  struct Worker {
    std::int64_t sequence = 0;
    std::int64_t next = AnswerNote::kNone;  // the number of its mini-batch
    std::int64_t round = 0;
    std::int64_t steps = 0;  // in this phase
    bool waits = false;      // for an answer
    bool has_left = false;
    std::uint8_t wishes = 0;  // that it has heard of
  };

  explicit Pushing(const LedgerSpec& spec) : ledger_(spec), workers_(idx(spec.workers)) {}

  void begin(const Phase& phase) {
    ledger_.begin(phase);
    for (Rank rank = 0; rank < std::ssize(workers_); ++rank) {
      workers_[idx(rank)] = {.sequence = workers_[idx(rank)].sequence,
                             .next = phase.begin_of(rank),
                             .round = phase.first / std::ssize(workers_)};
    }
  }

  /// Workers that are about to push, or to leave where they have no mini-batch.
  [[nodiscard]] std::vector<Rank> ready() const {
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < std::ssize(workers_); ++rank) {
      if (!of(rank).waits && !of(rank).has_left) ranks.push_back(rank);
    }
    return ranks;
  }
  [[nodiscard]] bool is_over() const { return ledger_.all_have_left(); }

  Fate push(Rank rank, std::uint8_t wishes = 0) {
    Worker& worker = workers_[idx(rank)];
    ++worker.sequence;
    ++worker.steps;
    return send(rank, wishes);
  }
  /// What it has pushed last, once more.
  Fate push_again(Rank rank) { return send(rank, 0); }
  Fate leave(Rank rank, std::uint8_t wishes = 0) {
    workers_[idx(rank)].has_left = true;
    const Fate fate =
        ledger_.leave(rank, {.kind = PushKind::kLeave, .wishes = wishes, .sequence = of(rank).sequence});
    if (fate == Fate::kComplete) ledger_.applied();
    take_answers();
    return fate;
  }
  /// Pushes, or leaves where there is nothing to push.
  void go_on(Rank rank, std::uint8_t wishes = 0) {
    if (of(rank).next == AnswerNote::kNone) {
      static_cast<void>(leave(rank, wishes));
    } else {
      static_cast<void>(push(rank, wishes));
    }
  }

  /// `choose(ready)` says whose turn it is.
  template <typename Choose>
  void run(Choose choose) {
    while (!is_over()) {
      const std::vector<Rank> ranks = ready();
      if (ranks.empty()) return;  // all wait for each other
      go_on(choose(ranks));
    }
  }

  [[nodiscard]] const Worker& of(Rank rank) const { return workers_[idx(rank)]; }
  [[nodiscard]] Ledger& ledger() { return ledger_; }
  [[nodiscard]] const std::vector<Rank>& answered() const { return answered_; }  // by the last call

 private:
  Fate send(Rank rank, std::uint8_t wishes) {
    Worker& worker = workers_[idx(rank)];
    worker.waits = true;
    const Fate fate = ledger_.push(rank, {.wishes = wishes,
                                          .sequence = worker.sequence,
                                          .gradient = std::max<std::int64_t>(worker.next, 0),
                                          .round = worker.round});
    if (fate == Fate::kApply || fate == Fate::kComplete) ledger_.applied();
    take_answers();
    return fate;
  }

  void take_answers() {
    answered_ = ledger_.take_released();
    for (const Rank rank : answered_) {
      const AnswerNote note = ledger_.answer(rank);
      Worker& worker = workers_[idx(rank)];
      worker.next = note.next;
      worker.round = note.round;
      worker.wishes = note.wishes;
      worker.waits = false;
    }
  }

  Ledger ledger_;
  std::vector<Worker> workers_;
  std::vector<Rank> answered_;
};

}  // namespace trireme::server
