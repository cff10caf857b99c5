// The first failure of a job, in memory that all its nodes see: fixed size, without locks or pointers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/types.h"

namespace trireme::wire {

/// Any node may make any call, from threads or processes. Memory full of zeros is an empty record. Long texts
/// are cut.
class FailureRecord {
 public:
  /// Keeps the failure unless there is one already.
  void put(const Failure& failure);
  /// Empty also while the first failure is still being written.
  [[nodiscard]] std::optional<Failure> get() const;
  /// Whether some node has failed, even if the reason is not known yet.
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
