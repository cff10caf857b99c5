#include "measure.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace peers {
namespace {

using Clock = std::chrono::steady_clock;

// The driver stops waiting after 60 s; this ends ranks that it could not reach.
constexpr unsigned kHardLimitSeconds = 70;
// Two seconds in total. A library that spins on too few cores needs milliseconds for the smallest call.
constexpr double kWarmUpSeconds = 0.4;
constexpr double kTimedSeconds = 1.6;
// The number of calls before the ranks agree whether there is time for more.
constexpr std::size_t kBatch = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t calls_for(std::size_t bytes) {
  if (bytes < 64u << 10) return 2000;
  if (bytes < 4u << 20) return 200;
  return 20;
}

bool is_in_place(Operation operation) {
  return operation == Operation::kAllreduce || operation == Operation::kBroadcast;
}

bool has_chunks(Operation operation) { return !is_in_place(operation) && operation != Operation::kPingPong; }

// Small whole numbers: their sum over the ranks is exact in any order. They tell the element and the rank, so
// that none is taken for another.
float value(std::size_t element, int rank) {
  return static_cast<float>(static_cast<std::uint32_t>(element) % 1000) + static_cast<float>(rank);
}

// One operation of one rank: its buffers, what is in them before, and what must be in them afterwards.
class Call {
 public:
  Call(Group& group, Operation operation, std::size_t bytes)
      : group_(group), operation_(operation), rank_(group.rank()), ranks_(group.size()) {
    const std::size_t all = bytes / sizeof(float);
    chunk_ = all / static_cast<std::size_t>(ranks_);
    if (has_chunks(operation) && chunk_ * static_cast<std::size_t>(ranks_) != all) {
      throw std::invalid_argument("BYTES are not the same number of float32 for each rank");
    }
    buffers_[0].resize(operation == Operation::kAllGather ? chunk_ : all);
    if (!is_in_place(operation)) buffers_[1].resize(operation == Operation::kReduceScatter ? chunk_ : all);
    from_ = buffers_[0];
    into_ = is_in_place(operation) ? from_ : buffers_[1];
    if (operation == Operation::kAllGather) first_ = chunk_ * static_cast<std::size_t>(rank_);
    if (operation == Operation::kAllToAll) first_ = all * static_cast<std::size_t>(rank_);
  }

  // The second barrier keeps the next refill out of the measured time: with more ranks than cores, a rank
  // that is done would otherwise refill on the core that a slower rank needs to notice that it is done, too.
  double time() {
    for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = value(first_ + i, rank_);
    group_.barrier();
    const auto start = Clock::now();
    for (int root = 0; root < calls_; ++root) group_.run(operation_, from_, into_, root);
    const double seconds = seconds_since(start);
    group_.barrier();
    return operation_ == Operation::kPingPong ? seconds / 2 : seconds / calls_;
  }

  void check_once() {
    std::fill(into_.begin(), into_.end(), -1.0F);  // in no result
    time();
    double wrong = is_right() ? 0 : 1;
    group_.greatest({&wrong, 1});
    if (wrong != 0) throw std::runtime_error("the result is wrong");
  }

 private:
  [[nodiscard]] bool is_right() const {
    if (operation_ == Operation::kPingPong && (rank_ ^ 1) >= ranks_) return true;
    for (std::size_t i = 0; i < into_.size(); ++i) {
      if (into_[i] != expected(i)) return false;
    }
    return true;
  }

  // Element i of the result.
  [[nodiscard]] float expected(std::size_t i) const {
    switch (operation_) {
      case Operation::kAllreduce:
        return sum(i);
      case Operation::kBroadcast:
        return value(i, 0);
      case Operation::kAllGather:
        return value(i, static_cast<int>(i / chunk_));
      case Operation::kReduceScatter:
        return sum(chunk_ * static_cast<std::size_t>(rank_) + i);
      case Operation::kAllToAll: {
        const std::size_t from = i / chunk_;
        const std::size_t row = from * chunk_ * static_cast<std::size_t>(ranks_);
        return value(row + chunk_ * static_cast<std::size_t>(rank_) + i % chunk_, static_cast<int>(from));
      }
      case Operation::kPingPong:
        return value(i, rank_ ^ 1);
    }
    return -1;
  }

  [[nodiscard]] float sum(std::size_t element) const {
    return value(element, 0) * static_cast<float>(ranks_) + static_cast<float>(ranks_ * (ranks_ - 1) / 2);
  }

  Group& group_;
  const Operation operation_;
  const int rank_;
  const int ranks_;
  // A broadcast goes from each rank in turn: a root that must have received first does not run ahead of
  // others.
  const int calls_ = operation_ == Operation::kBroadcast ? ranks_ : 1;
  std::size_t chunk_ = 0;
  std::size_t first_ = 0;  // the element that is first in `from_`, among those of all ranks
  std::vector<float> buffers_[2];
  std::span<float> from_;
  std::span<float> into_;
};

// The seconds of each call on its slowest rank: for all calls, or for as many as fit into the limit.
std::vector<double> time_calls(Group& group, Call& call, std::size_t calls, double limit_seconds) {
  std::vector<double> slowest;
  slowest.reserve(calls);
  const auto start = Clock::now();
  double elapsed = 0;
  while (slowest.size() < calls && elapsed < limit_seconds) {
    std::vector<double> batch;
    const std::size_t count = std::min(kBatch, calls - slowest.size());
    for (std::size_t i = 0; i < count; ++i) batch.push_back(call.time());
    batch.push_back(seconds_since(start));  // sent along, so that all ranks stop after the same call
    group.greatest(batch);
    elapsed = batch.back();
    slowest.insert(slowest.end(), batch.begin(), batch.end() - 1);
  }
  return slowest;
}

// The value below which the given fraction of the sorted values lies: 0.5 is the upper median.
double quantile(std::span<const double> sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

Operation parse_operation(std::string_view text) {
  constexpr std::pair<std::string_view, Operation> kNames[] = {
      {"allreduce", Operation::kAllreduce},  {"broadcast", Operation::kBroadcast},
      {"all-gather", Operation::kAllGather}, {"reduce-scatter", Operation::kReduceScatter},
      {"all-to-all", Operation::kAllToAll},  {"ping-pong", Operation::kPingPong}};
  for (const auto& [name, operation] : kNames) {
    if (name == text) return operation;
  }
  throw std::invalid_argument("OPERATION is allreduce, broadcast, …, not \"" + std::string(text) + "\"");
}

std::size_t parse_bytes(std::string_view text) {
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || bytes == 0 || bytes % sizeof(float) != 0) {
    throw std::invalid_argument("BYTES is a positive multiple of 4, not \"" + std::string(text) + "\"");
  }
  return bytes;
}

void measure(Group& group, Operation operation, std::size_t bytes) {
  alarm(kHardLimitSeconds);
  Call call(group, operation, bytes);
  const std::size_t calls = calls_for(bytes);
  call.check_once();
  time_calls(group, call, std::max<std::size_t>(2, calls / 10), kWarmUpSeconds);
  auto seconds = time_calls(group, call, calls, kTimedSeconds);
  if (group.rank() != 0) return;
  std::sort(seconds.begin(), seconds.end());
  std::printf(R"({"rows":[{"workers":%d,"bytes":%zu,"calls":%zu,"median_us":%.3f,"p99_us":%.3f}]})"
              "\n",
              group.size(), bytes, seconds.size(), quantile(seconds, 0.5) * 1e6,
              quantile(seconds, 0.99) * 1e6);
  std::fflush(stdout);
}

}  // namespace peers
