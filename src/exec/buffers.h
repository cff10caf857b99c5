// A node's own memory in an operation.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan.h"

namespace trireme::exec {

/// Whether every node has one buffer of all elements, which holds what it brings and then what it gets: sum
/// and broadcast.
[[nodiscard]] inline bool is_in_place(plan::Operation operation) {
  return operation == plan::Operation::kSum || operation == plan::Operation::kBroadcast;
}

/// What a node brings to an operation, and where it gets its part of the result: the elements of
/// `plan::holdings`, one after another. Both are the same memory if the operation is in place.
struct Buffers {
  std::span<const std::byte> from;
  std::span<std::byte> into;
};

}  // namespace trireme::exec
