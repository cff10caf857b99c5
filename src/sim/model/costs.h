// The cost of a message and of an addition on a cluster, in whole picoseconds. Only here a size becomes a
// time: the formulas and the event loop both use it.
#pragma once

#include <cstdint>

#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme::sim {

class Costs {
 public:
  explicit Costs(const Scenario& scenario);

  /// The time until the first bit of a message reaches the other end. Messages under way do not wait for each
  /// other.
  [[nodiscard]] Picoseconds latency() const { return latency_; }
  /// How long a message keeps a card busy: the sender's and, `latency` later, the receiver's.
  [[nodiscard]] Picoseconds card(std::int64_t bytes) const { return overhead_ + rounded(bytes, per_byte_); }
  /// How long a message inside a host keeps its memory busy.
  [[nodiscard]] Picoseconds memory(std::int64_t bytes) const {
    return overhead_ + rounded(bytes, memory_per_byte_);
  }
  /// How long a node takes to add so many bytes.
  [[nodiscard]] Picoseconds adding(std::int64_t bytes) const { return rounded(bytes, adding_per_byte_); }
  [[nodiscard]] std::int64_t bytes(std::int64_t elements) const { return elements * element_bytes_; }

 private:
  [[nodiscard]] static Picoseconds rounded(std::int64_t bytes, double per_byte) {
    const double exact = static_cast<double>(bytes) * per_byte + 0.5;
    if (exact > static_cast<double>(kLongestMessage)) refuse_as_too_long("a message", kLongestMessage);
    return static_cast<Picoseconds>(exact);
  }

  Picoseconds latency_;
  Picoseconds overhead_;
  double per_byte_;  // picoseconds, like the others
  double memory_per_byte_;
  double adding_per_byte_;
  std::int64_t element_bytes_;
};

}  // namespace trireme::sim
