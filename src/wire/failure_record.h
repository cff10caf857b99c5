// The first failure of a job, in memory that all its nodes see: of fixed size, without locks or pointers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/types.h"

namespace trireme::wire {

/// All calls from all nodes, threads or processes. Memory full of zeros is an empty record. Long texts are
/// cut.
class FailureRecord {
 public:
  /// Keeps the failure unless there is one already.
  void put(const Failure& failure);
  /// Nothing, too, while the first one is still being written.
  [[nodiscard]] std::optional<Failure> get() const;
  /// Somebody has failed, even if it is not yet known why.
  [[nodiscard]] bool any() const { return state_.load(std::memory_order_acquire) != kNone; }

 private:
  enum State : std::uint32_t { kNone, kBeingWritten, kThere };
  using Text = std::array<char, 1024>;
  static constexpr std::int64_t kAbsent = INT64_MIN;

  std::atomic<std::uint32_t> state_{kNone};  // release and acquire: kThere is set after everything below
  Failure::Cause cause_{};
  std::int64_t rank_{};
  std::int64_t peer_{};
  std::int64_t culprit_{};
  std::int64_t op_id_{};
  std::int64_t elapsed_ns_{};
  Text what_{};
  Text op_{};
  Text hint_{};
};

}  // namespace trireme::wire
