#include "measure.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
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

// Small whole numbers: their sum over the ranks is exact in any order.
void refill(std::span<float> buffer, int rank) {
  for (std::uint32_t i = 0; i < buffer.size(); ++i)
    buffer[i] = static_cast<float>(i % 1000) + static_cast<float>(rank);
}

bool is_right(std::span<const float> buffer, int ranks) {
  const auto sum_of_ranks = static_cast<float>(ranks * (ranks - 1) / 2);
  for (std::uint32_t i = 0; i < buffer.size(); ++i) {
    if (buffer[i] != static_cast<float>(i % 1000) * static_cast<float>(ranks) + sum_of_ranks) return false;
  }
  return true;
}

// The second barrier keeps the next refill out of the measured time: with more ranks than cores, a rank that
// is done would otherwise refill on the core that a slower rank needs to notice that it is done, too.
double time_one_call(Group& group, std::span<float> buffer) {
  refill(buffer, group.rank());
  group.barrier();
  const auto start = Clock::now();
  group.sum(buffer);
  const double seconds = seconds_since(start);
  group.barrier();
  return seconds;
}

// The seconds of each call on its slowest rank: for all calls, or for as many as fit into the limit.
std::vector<double> time_calls(Group& group, std::span<float> buffer, std::size_t calls,
                               double limit_seconds) {
  std::vector<double> slowest;
  slowest.reserve(calls);
  const auto start = Clock::now();
  double elapsed = 0;
  while (slowest.size() < calls && elapsed < limit_seconds) {
    std::vector<double> batch;
    const std::size_t count = std::min(kBatch, calls - slowest.size());
    for (std::size_t i = 0; i < count; ++i) batch.push_back(time_one_call(group, buffer));
    batch.push_back(seconds_since(start));  // sent along, so that all ranks stop after the same call
    group.greatest(batch);
    elapsed = batch.back();
    slowest.insert(slowest.end(), batch.begin(), batch.end() - 1);
  }
  return slowest;
}

void check_once(Group& group, std::span<float> buffer) {
  time_one_call(group, buffer);
  double wrong = is_right(buffer, group.size()) ? 0 : 1;
  group.greatest({&wrong, 1});
  if (wrong != 0) throw std::runtime_error("the sum is wrong");
}

// The value below which the given fraction of the sorted values lies: 0.5 is the upper median.
double quantile(std::span<const double> sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

std::size_t parse_bytes(std::string_view text) {
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || bytes == 0 || bytes % sizeof(float) != 0) {
    throw std::invalid_argument("BYTES is a positive multiple of 4, not \"" + std::string(text) + "\"");
  }
  return bytes;
}

void measure(Group& group, std::size_t bytes) {
  alarm(kHardLimitSeconds);
  std::vector<float> buffer(bytes / sizeof(float));
  const std::size_t calls = calls_for(bytes);
  check_once(group, buffer);
  time_calls(group, buffer, std::max<std::size_t>(2, calls / 10), kWarmUpSeconds);
  auto seconds = time_calls(group, buffer, calls, kTimedSeconds);
  if (group.rank() != 0) return;
  std::sort(seconds.begin(), seconds.end());
  std::printf(R"({"rows":[{"workers":%d,"bytes":%zu,"calls":%zu,"median_us":%.3f,"p99_us":%.3f}]})"
              "\n",
              group.size(), bytes, seconds.size(), quantile(seconds, 0.5) * 1e6,
              quantile(seconds, 0.99) * 1e6);
  std::fflush(stdout);
}

}  // namespace peers
