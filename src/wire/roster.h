// Who takes part in an in-process fabric: who waits for whom, who has left, and what failed first.
//
// It exists for good errors. When a wait fails, the node that is waited for is often innocent and itself
// waiting; the roster follows that chain to the one that matters.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/types.h"

namespace trireme {

/// All calls from all threads. What a node says of itself it says from its own thread.
class Roster {
 public:
  explicit Roster(Rank nodes);

  void waits_for(Rank node, Rank peer) { at(node).waits_for.store(peer, std::memory_order_relaxed); }
  void waits_no_more(Rank node) { waits_for(node, kNobody); }

  /// Records why a node fails. Only the first failure of all nodes is kept.
  void fail(const Failure& reason);
  /// From now on nothing comes from this node, and it takes nothing.
  void leave(Rank node) { at(node).left.store(true, std::memory_order_release); }

  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }
  [[nodiscard]] bool has_left(Rank node) const { return at(node).left.load(std::memory_order_acquire); }
  [[nodiscard]] std::optional<Failure> first_failure() const;

  /// Where a node that keeps others waiting is: "it is itself waiting for rank 2, which is not in the
  /// exchange".
  [[nodiscard]] std::string whereabouts(Rank node) const;

 private:
  static constexpr Rank kNobody = -1;

  struct Entry {
    std::atomic<Rank> waits_for{kNobody};  // relaxed: a remark for error messages, nothing follows from it
    std::atomic<bool> left{false};  // release and acquire: who sees it sees the receipts that went before
  };

  [[nodiscard]] Entry& at(Rank node) { return entries_[idx(node)]; }
  [[nodiscard]] const Entry& at(Rank node) const { return entries_[idx(node)]; }
  [[nodiscard]] std::vector<Rank> chain_from(Rank node) const;

  std::vector<Entry> entries_;       // by rank; never grows
  std::atomic<bool> failed_{false};  // release and acquire: set after first_failure_
  mutable std::mutex mutex_;
  std::optional<Failure> first_failure_;  // guarded by mutex_, written once
};

}  // namespace trireme
