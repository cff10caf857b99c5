// Shared by the tests of exchanges: specs of every kind, buffers of any type, and sums worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "exec/kernels/kernel_test_util.h"
#include "exec/run_on_threads.h"
#include "plan/plan.h"
#include "plan/strategies/strategies.h"
#include "wire/threads/in_process.h"

namespace trireme::exec {

using Numbers = std::vector<std::byte>;

/// In one call: `==` compares vectors of bytes one by one, which takes long where tests are not optimized.
inline bool are_same(std::span<const std::byte> one, std::span<const std::byte> other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

/// Whether there are only such bytes: each is then the same as the next.
inline bool are_all(std::span<const std::byte> bytes, std::byte wanted) {
  return bytes.empty() || (bytes[0] == wanted && are_same(bytes.first(bytes.size() - 1), bytes.subspan(1)));
}

/// Long enough for any machine: a test that meets it has failed.
inline Deadline in_time() { return Deadline::after(std::chrono::seconds(60)); }

/// Every strategy for n workers and p parameters, in each arrangement of servers and hosts that differs.
inline std::vector<plan::PlanSpec> all_specs(std::int32_t n, std::int64_t p) {
  std::vector<plan::PlanSpec> specs;
  for (const plan::Strategy strategy : plan::all_strategies()) {
    plan::PlanSpec spec;
    spec.strategy = strategy;
    spec.workers = n;
    spec.parameters = p;
    if (strategy == plan::Strategy::kParameterServer) {
      for (const std::int32_t servers : {1, 2, 3}) specs.emplace_back(spec).servers = servers;
      specs.emplace_back(spec).shares_on_workers = n;
      if (n > 1) specs.emplace_back(spec).shares_on_workers = n / 2;
    } else if (strategy == plan::Strategy::kHierarchical) {
      for (std::int32_t hosts = 1; hosts <= n; ++hosts) {
        if (n % hosts == 0) specs.emplace_back(spec).hosts = hosts;
      }
    } else {
      specs.push_back(spec);
    }
  }
  return specs;
}

/// For SCOPED_TRACE and messages.
inline std::string in_words(const plan::PlanSpec& spec) {
  return std::string(plan::name(spec.strategy)) + " n=" + std::to_string(spec.workers) +
         " p=" + std::to_string(spec.parameters) + " servers=" + std::to_string(spec.servers) +
         " shares=" + std::to_string(spec.shares_on_workers) + " hosts=" + std::to_string(spec.hosts);
}

template <typename T>
void put(Numbers& buffer, std::int64_t i, T value) {
  std::memcpy(buffer.data() + idx(i) * sizeof(T), &value, sizeof(T));
}

template <typename T>
T get(const Numbers& buffer, std::int64_t i) {
  T value;
  std::memcpy(&value, buffer.data() + idx(i) * sizeof(T), sizeof(T));
  return value;
}

/// A number as an element of any type, rounded if it must be.
inline void put_number(Numbers& buffer, ElementType type, std::int64_t i, double value) {
  switch (type) {
    case ElementType::kFloat32:
      return put(buffer, i, static_cast<float>(value));
    case ElementType::kFloat64:
      return put(buffer, i, value);
    case ElementType::kInt32:
      return put(buffer, i, static_cast<std::int32_t>(value));
    case ElementType::kInt64:
      return put(buffer, i, static_cast<std::int64_t>(value));
    case ElementType::kInt8:
    case ElementType::kUint8:  // wraps: negative numbers too are added right
      return put(buffer, i, static_cast<std::uint8_t>(static_cast<std::int64_t>(value)));
    case ElementType::kFloat16:
    case ElementType::kBFloat16:
      return put(buffer, i, HalfFormat::of(type).narrow(static_cast<float>(value)));
  }
}

inline Numbers buffer_for(const plan::PlanSpec& spec, ElementType type) {
  return Numbers(idx(spec.parameters * size_of(type)));
}

/// By rank. Small whole numbers, different for every worker and element, whose sums every type holds exactly.
/// Servers hold garbage, which must not count.
inline double small_number(Rank rank, std::int64_t i) {
  return static_cast<double>((std::int64_t{rank} * 7 + i * 3) % 11 - 5);
}

inline constexpr std::int64_t kSmallNumbersRepeatAfter = 11;

/// Appends `number(first)`, `number(first + 1)`, ...: numbers that repeat as small numbers do. Only the first
/// few are calculated, because a loop over hundreds of thousands takes long where tests are not optimized.
template <typename NumberAt>
void append_repeating(Numbers& buffer, ElementType type, std::int64_t first, std::int64_t count,
                      NumberAt number) {
  const std::size_t begin = buffer.size();
  const std::int64_t begin_element = static_cast<std::int64_t>(begin) / size_of(type);
  buffer.resize(begin + idx(count * size_of(type)));
  const std::int64_t calculated = std::min(count, kSmallNumbersRepeatAfter);
  for (std::int64_t i = 0; i < calculated; ++i)
    put_number(buffer, type, begin_element + i, number(first + i));
  for (std::size_t filled = idx(calculated * size_of(type)); begin + filled < buffer.size();) {
    const std::size_t more = std::min(filled, buffer.size() - begin - filled);
    std::memcpy(buffer.data() + begin + filled, buffer.data() + begin, more);
    filled += more;
  }
}

/// Appends the small numbers of a rank from the element `first` on.
inline void append_small_numbers(Numbers& buffer, ElementType type, Rank rank, std::int64_t first,
                                 std::int64_t count) {
  append_repeating(buffer, type, first, count, [&](std::int64_t i) { return small_number(rank, i); });
}

inline std::vector<Numbers> small_numbers(const plan::PlanSpec& spec, ElementType type) {
  std::vector<Numbers> buffers(idx(spec.nodes()));
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    append_repeating(buffers[idx(rank)], type, 0, spec.parameters,
                     [&](std::int64_t i) { return spec.is_server(rank) ? 99 : small_number(rank, i); });
  }
  return buffers;
}

inline Numbers sum_of_small_numbers(const plan::PlanSpec& spec, ElementType type) {
  Numbers sum;
  append_repeating(sum, type, 0, spec.parameters, [&](std::int64_t i) {
    double total = 0;
    for (Rank rank = 0; rank < spec.workers; ++rank) total += small_number(rank, i);
    return total;
  });
  return sum;
}

/// By rank. Numbers whose sum depends on the order of addition.
inline std::vector<Numbers> rough_numbers(const plan::PlanSpec& spec, ElementType type, std::uint64_t seed) {
  TestBits random(seed);
  std::vector<Numbers> buffers(idx(spec.nodes()), buffer_for(spec, type));
  for (Rank rank = 0; rank < spec.workers; ++rank) {
    for (std::int64_t i = 0; i < spec.parameters; ++i)
      put_number(buffers[idx(rank)], type, i, random.number());
  }
  return buffers;
}

inline std::vector<std::span<std::byte>> spans(std::vector<Numbers>& buffers) {
  return {buffers.begin(), buffers.end()};
}

/// Runs the exchange and returns the buffers afterwards.
inline std::vector<Numbers> exchanged(const plan::PlanSpec& spec, ElementType type,
                                      std::vector<Numbers> buffers, Reduction reduction = Reduction::kSum) {
  run_on_threads(spec, type, spans(buffers), reduction, in_time());
  return buffers;
}

/// Calls `body(rank, runner)` for every node, in a thread of its own with a prepared Runner.
template <typename Body>
void on_runners(const plan::PlanSpec& spec, ElementType type, Body body) {
  wire::threads::InProcessFabric fabric(spec.nodes());
  std::vector<std::jthread> threads;
  threads.reserve(idx(spec.nodes()));
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    threads.emplace_back([&, rank] {
      Runner runner(spec, type, fabric.wire(rank));
      body(rank, runner);
    });
  }
  threads.clear();  // joins, before the fabric goes
}

/// The failure of a call that must fail.
inline Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "it should have failed";
  return {};
}

/// Every worker must hold exactly this.
inline void expect_on_all_workers(const plan::PlanSpec& spec, const std::vector<Numbers>& buffers,
                                  const Numbers& expected) {
  for (Rank rank = 0; rank < spec.workers; ++rank) {
    EXPECT_TRUE(are_same(buffers[idx(rank)], expected))
        << in_words(spec) << ": rank " << rank << " holds something else";
  }
}

}  // namespace trireme::exec
