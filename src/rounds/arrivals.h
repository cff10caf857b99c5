// Keeps track of the gradients that have arrived in a round, and of the buckets that they make complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trireme::rounds {

class Arrivals {
 public:
  explicit Arrivals(std::size_t parameters) : times_(parameters) {}

  /// Sets how many buckets there are from now on.
  void set_buckets(std::size_t count);

  /// A new round: nothing has arrived, and nothing is expected.
  void begin();
  /// One more gradient of this bucket is to arrive.
  void expect(std::size_t bucket) { ++missing_[bucket]; }

  /// Backward has added to this gradient. False: it has before, in the same round.
  [[nodiscard]] bool arrive(std::size_t parameter) { return ++times_[parameter] == 1; }
  /// An expected gradient of the bucket has arrived. True: it was the last one.
  [[nodiscard]] bool completes(std::size_t bucket) { return --missing_[bucket] == 0; }
  /// The bucket may be exchanged.
  void make_ready(std::size_t bucket) { ready_[bucket] = true; }

  [[nodiscard]] bool is_ready(std::size_t bucket) const { return ready_[bucket]; }
  [[nodiscard]] bool all_ready() const { return open() == ready_.size(); }
  /// The first so many buckets are ready: these may be exchanged, for all nodes keep to one order.
  [[nodiscard]] std::size_t open() const;
  /// Some gradient has arrived since `begin` or `forget`.
  [[nodiscard]] bool any() const;
  /// The gradients have been exchanged: the next backward may add to them again.
  void forget();

 private:
  std::vector<std::int32_t> times_;   // by parameter: how often backward has added to its gradient
  std::vector<std::size_t> missing_;  // by bucket: gradients that have not arrived
  std::vector<bool> ready_;           // by bucket
};

}  // namespace trireme::rounds
