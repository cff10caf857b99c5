// What one server knows of its workers, and what it does with a gradient: pure bookkeeping, without memory
// for weights and without messages. So that a run can be replayed, everything follows from the order of the
// calls.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "base/types.h"
#include "plan/mode.h"
#include "schedule/schedule.h"
#include "server/notes.h"

namespace trireme::server {

/// A stretch of training in which workers do not wait for all others, between two rounds of all nodes. It
/// ends when all workers have left it. Numbers of gradients are those of the whole training.
struct Phase {
  static constexpr std::int64_t kUnlimited = -1;

  std::int64_t first = 0;  ///< a multiple of the number of workers
  /// A multiple, too. kUnlimited: each worker goes on until it leaves.
  std::int64_t gradients = kUnlimited;
  bool records = false;  ///< servers record all writes

  /// The number with which a worker begins; kNone: there are too few.
  [[nodiscard]] std::int64_t begin_of(Rank worker) const {
    return gradients == kUnlimited || worker < gradients ? first + worker : AnswerNote::kNone;
  }
};

/// What becomes of a gradient.
enum class Fate : std::uint8_t {
  kApply,      ///< it is applied now
  kJoin,       ///< backup: it belongs to the round at hand, which waits for more
  kComplete,   ///< backup: it completes the round at hand, whose gradients are averaged and applied now
  kDrop,       ///< backup: it came too late
  kDuplicate,  ///< it was sent again, and has had its fate
};

struct Staleness {
  std::map<std::int64_t, std::int64_t> histogram;  ///< of gradients that were applied

  [[nodiscard]] std::int64_t updates() const;
  [[nodiscard]] std::int64_t sum() const;
  [[nodiscard]] std::int64_t most() const;
};

struct LedgerSpec {
  plan::Mode mode{};
  Rank workers = 1;
  std::int32_t server = 0;
  bool dispenses = true;  ///< it hands out the numbers of mini-batches
};

class Ledger {
 public:
  explicit Ledger(const LedgerSpec& spec);

  /// All hold the weights of the version at hand.
  void begin(const Phase& phase);

  /// A worker pushes. Throws `Error` where its note makes no sense.
  [[nodiscard]] Fate push(Rank worker, const PushNote& note);
  /// The staleness of the gradient that the last `push` was about.
  [[nodiscard]] std::int64_t staleness() const { return staleness_; }
  /// Backup: the workers whose gradients make up the round, in the order of ranks. After `kComplete`, until
  /// `applied`.
  [[nodiscard]] std::vector<Rank> round() const;
  /// What the last `push` or `leave` has said is applied.
  void applied();
  /// A worker leaves the phase. Backup: returns kComplete where those that are left are enough for the round,
  /// else kDrop.
  [[nodiscard]] Fate leave(Rank worker, const PushNote& note);

  /// Workers that now get their answer, in order; each is told once. Not those that have left.
  [[nodiscard]] std::vector<Rank> take_released();
  /// The answer to a worker, which has read the version at hand.
  [[nodiscard]] AnswerNote answer(Rank worker);

  [[nodiscard]] bool all_have_left() const { return left_ == std::ssize(workers_); }
  [[nodiscard]] bool has_left(Rank worker) const { return workers_[idx(worker)].has_left; }
  /// Whom a worker that waits is waiting for: the slowest.
  [[nodiscard]] Rank slowest() const;

  [[nodiscard]] std::int64_t version() const { return version_; }
  void set_version(std::int64_t version) { version_ = version; }
  /// Gradients of a worker that were pushed, in all phases.
  [[nodiscard]] std::int64_t sequence(Rank worker) const { return workers_[idx(worker)].sequence; }
  void set_sequence(Rank worker, std::int64_t sequence) { workers_[idx(worker)].sequence = sequence; }
  [[nodiscard]] const Staleness& stale() const { return stale_; }
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }
  [[nodiscard]] std::int64_t duplicates() const { return duplicates_; }
  /// Everything that was written since the last call.
  [[nodiscard]] std::vector<schedule::Write> take_writes();

 private:
  struct Worker {
    std::int64_t sequence = 0;              // of its last gradient
    std::int64_t gradient = 0;              // its number
    std::int64_t clock = 0;                 // gradients applied in this phase
    std::int64_t handed = 0;                // ssp: the greatest clock for which it has a mini-batch
    std::int64_t next = AnswerNote::kNone;  // async: the number that it has, until it pushes its gradient
    std::int64_t read = 0;                  // the version that it has
    bool waits = false;                     // for its answer
    bool has_left = false;
  };

  void check(const Worker& worker, Rank rank, const PushNote& note) const;
  void record(Rank rank, bool dropped);
  [[nodiscard]] std::int64_t slowest_clock() const;
  [[nodiscard]] bool completes_round() const;
  void release_paced();
  void release(Rank rank);
  [[nodiscard]] std::int64_t next_number(Rank rank);
  void stop();
  [[nodiscard]] std::int64_t steps() const;

  const LedgerSpec spec_;
  std::vector<Worker> workers_;  // by rank
  std::vector<Rank> released_;
  std::vector<bool> came_;  // backup, by rank: in the round at hand
  std::int64_t in_round_ = 0;
  Rank current_ = 0;  // the worker whose gradient is about to be applied, if it is no round
  Phase phase_;
  std::int64_t next_ = 0;   // async: the number that is handed out next
  std::int64_t end_ = 0;    // the first number, clock or round that is not handed out
  std::int64_t round_ = 0;  // backup: at hand
  std::int64_t version_ = 0;
  std::int64_t left_ = 0;
  std::int64_t staleness_ = 0;
  std::uint8_t wishes_ = 0;
  std::deque<double> losses_;
  Staleness stale_;
  std::int64_t dropped_ = 0;
  std::int64_t duplicates_ = 0;
  std::vector<schedule::Write> writes_;
};

}  // namespace trireme::server
