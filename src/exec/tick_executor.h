// The common part of the ways through shared memory: they go from stop to stop, and wait at each for the
// ticks of the nodes that they have to do with.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/executor.h"
#include "wire/shm/entrance.h"
#include "wire/shm/windows.h"

namespace trireme::exec {

class TickExecutor : public Executor, protected wire::Awaited {
 public:
  bool advance() final;
  void finish(const Deadline& deadline) final;
  [[nodiscard]] wire::Transfer lacks() const final { return missing(windows_.roster()); }
  [[nodiscard]] std::int32_t step() const final;
  [[nodiscard]] const plan::Trace& trace() const final { return trace_; }

 protected:
  /// Task and windows outlive it.
  TickExecutor(const Task& task, wire::shm::Windows& windows);

  /// There is nothing to exchange: nobody else, or no elements. Then `meet` is all there is to do.
  [[nodiscard]] bool is_empty() const { return windows_.nodes() == 1 || task_.spec.parameters == 0; }
  void meet();
  /// For whom a node waits at the entrance. Who is in an exchange for which all have waited knows that
  /// all have done with the one before, with its notes and with the stages.
  enum class Await {
    kAll,      ///< even if it has nothing to do
    kSenders,  ///< those it receives from, where nothing else need be known of the others
  };
  /// What all nodes do alike in an exchange.
  struct Opening {
    std::uint64_t ticks = 1;  ///< numbers that it takes
    std::uint64_t place = 0;  ///< of all buffers in the windows, if it must be the same
    bool is_staged = false;   ///< some node uses its stage
    Await await = Await::kAll;
  };
  /// The exchange begins, now or once this node may come to its entrance, and says what this node runs.
  void open(const Opening& opening);
  /// This node is at the entrance: brings what the others find when they are there. The first stop is at tick
  /// 0.
  virtual void bring_first() = 0;
  /// The memory at such a place. Throws `Error` when it lies in no window of which this node knows.
  [[nodiscard]] const std::byte* window_of(Rank peer, std::uint64_t place, std::size_t bytes) const;
  void raise(std::uint64_t tick) { ticks_.raise(first_tick_ + tick); }
  /// The next stop: all peers must have raised this tick. For errors: until then it is in this step.
  void stop_at(std::uint64_t tick, std::int32_t step);
  /// All that are awaited are there: does what comes next, and stops again or returns false.
  virtual bool go_on() = 0;
  /// After reading from a peer's window, before it is told so: throws `Error` when it has left too early, and
  /// may have changed what was read.
  void require_here(Rank peer) const;
  void require_peers_here() const {
    for (const Rank peer : peers_) require_here(peer);
  }
  /// Nothing is left to do but to count. Called once, at the end.
  [[nodiscard]] virtual wire::Counters moved() const = 0;

  /// The stage for the number-th thing that is staged in this exchange. Halves take turns over all exchanges.
  [[nodiscard]] wire::shm::Place stage_at(std::int64_t number) const {
    return windows_.stage(static_cast<int>((first_tick_ + static_cast<std::uint64_t>(number)) % 2));
  }

  [[nodiscard]] wire::shm::Place few_bytes() const { return ticks_.few_bytes(); }

  [[nodiscard]] wire::shm::TickLine::Note& note() { return ticks_.note(); }
  [[nodiscard]] const wire::shm::TickLine::Note& note_of(Rank peer) const { return ticks_.note_of(peer); }
  [[nodiscard]] const std::vector<Rank>& peers() const { return peers_; }

  const Task& task_;
  wire::shm::Windows& windows_;
  wire::shm::Ticks& ticks_;

 private:
  enum class At {
    kBefore,    // not all are at the last entrance yet
    kEntrance,  // this node is at the one of this exchange
    kInside,
    kThrough,
  };

  bool arrived() final;
  [[nodiscard]] wire::Transfer missing(const wire::Roster& roster) const final;
  [[nodiscard]] wire::Transfer transfer_with(Rank peer) const;
  [[nodiscard]] bool awaits_all() const {
    return at_ == At::kBefore || (at_ == At::kEntrance && opening_.await == Await::kAll);
  }
  bool may_come();
  void come();
  void pass();

  wire::shm::Entrance& entrance_;
  wire::CallSignature signature_;
  std::vector<Rank> peers_;    // all that this node has messages with, ascending
  std::vector<Rank> senders_;  // those of them from which it receives
  At at_ = At::kThrough;
  Opening opening_;
  std::uint64_t first_tick_ = 0;
  const std::vector<Rank>* awaited_ = &peers_;  // at the stop at hand
  std::uint64_t awaited_tick_ = 0;
  std::size_t arrived_ = 0;  // how many of the awaited are known to be there
  std::int32_t step_ = 0;
  plan::Trace trace_;
};

}  // namespace trireme::exec
