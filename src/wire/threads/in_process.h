// A wire between threads of one process. Nothing is copied on the way: the receiver takes the bytes, or adds
// them, straight from the sender's memory, in its own thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "wire/wire.h"

namespace trireme::wire::threads {

/// All nodes and what is between them. A send is complete when the receiver has taken it (rendezvous).
///
/// A node that has finished simply stops calling; only `leave` is a failure. When one node has left, a node
/// that waits for it gets an `Error` at once; one that waits for somebody else may still go on, but no longer
/// than half a second.
class InProcessFabric {
 public:
  explicit InProcessFabric(Rank nodes);
  /// No wire may be in use.
  ~InProcessFabric();
  InProcessFabric(const InProcessFabric&) = delete;
  InProcessFabric& operator=(const InProcessFabric&) = delete;

  /// One node's end, for the one thread that is this node. Lives as long as the fabric.
  [[nodiscard]] Wire& wire(Rank rank);

  /// The reason of the first `leave` of all nodes, from any thread.
  [[nodiscard]] std::optional<Failure> first_failure() const;

 private:
  class Node;
  struct Shared;

  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by rank
};

}  // namespace trireme::wire::threads
