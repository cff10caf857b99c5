// The nodes on a wire: who waits for whom, who has left or died, and what failed first.
//
// Its purpose is good errors. When a wait fails, the node that is waited for is often not the cause but
// itself waiting; the roster follows that chain to the node at the root. It lives in memory that all nodes
// see, of one process or of several.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "wire/roster/failure_record.h"

namespace trireme::wire {

/// All nodes may make all calls. A node reports about itself only from its own thread.
class Roster {
 public:
  /// In its own memory, for nodes that are threads.
  explicit Roster(Rank nodes);
  /// In `bytes_for(nodes)` bytes that the caller keeps, aligned to 128 and initially zero.
  Roster(std::byte* memory, Rank nodes);
  [[nodiscard]] static std::size_t bytes_for(Rank nodes);

  /// The node is present, as this process. Returns false if another process is this node already.
  [[nodiscard]] bool enter(Rank node, pid_t process);
  /// 0: not present yet, or unknown.
  [[nodiscard]] pid_t process(Rank node) const { return at(node).process.load(std::memory_order_acquire); }

  void waits_for(Rank node, Rank peer) { at(node).waits_for.store(peer + 1, std::memory_order_relaxed); }
  void waits_no_more(Rank node) { waits_for(node, kNobody); }

  /// Records why a node fails. Only the first failure of all nodes is kept.
  void fail(const Failure& reason) { record_->put(reason); }
  /// From now on this node sends nothing and receives nothing.
  void leave(Rank node) { at(node).end.store(kLeft, std::memory_order_release); }
  /// The same for another node whose process is gone; does nothing if it has left before.
  void mark_dead(Rank node, pid_t process);

  [[nodiscard]] bool failed() const { return record_->any(); }
  [[nodiscard]] bool has_left(Rank node) const { return end_of(node) != kStays; }
  [[nodiscard]] std::optional<Failure> first_failure() const { return record_->get(); }

  /// The end of a node that has left: "has left", "has died (process 4711 is gone)".
  [[nodiscard]] std::string departure(Rank node) const;
  /// The state of a node that keeps others waiting: "it is itself waiting for rank 2, which is not in the
  /// exchange".
  [[nodiscard]] std::string whereabouts(Rank node) const;
  /// The node at the root: the last one in the chain of waiting nodes that begins with `node`, or one on the
  /// way that is stopped or gone. Empty if they wait in a circle.
  [[nodiscard]] std::optional<Rank> culprit(Rank node) const;

 private:
  static constexpr Rank kNobody = -1;
  enum End : std::uint32_t { kStays, kLeft, kDied };

  struct alignas(128) Entry {
    std::atomic<Rank> waits_for{0};     // peer + 1; relaxed: only for error messages
    std::atomic<std::uint32_t> end{0};  // release and acquire: its reader also sees what the node did before
    std::atomic<pid_t> process{0};      // release and acquire: its reader may look for the process
  };
  struct Chain {
    std::vector<Rank> nodes;  // each waits for the next
    bool circle = false;      // the last one appears twice
  };

  [[nodiscard]] Entry& at(Rank node) { return entries_[idx(node)]; }
  [[nodiscard]] const Entry& at(Rank node) const { return entries_[idx(node)]; }
  [[nodiscard]] std::uint32_t end_of(Rank node) const { return at(node).end.load(std::memory_order_acquire); }
  [[nodiscard]] Chain chain_from(Rank node) const;
  [[nodiscard]] bool is_stuck(Rank node) const;
  [[nodiscard]] std::string state(Rank node) const;

  struct MemoryDeleter {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], MemoryDeleter> own_;  // null if the caller owns the memory
  const Rank nodes_;
  FailureRecord* record_;
  Entry* entries_;  // by rank
};

}  // namespace trireme::wire
