#include "cli/bench/timed_operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/operations.h"

namespace trireme::cli {
namespace {

constexpr std::array<TimedOperation, 8> kTimed = {plan::Operation::kSum,      plan::Operation::kBroadcast,
                                                  plan::Operation::kGather,   plan::Operation::kAllGather,
                                                  plan::Operation::kScatter,  plan::Operation::kReduceScatter,
                                                  plan::Operation::kAllToAll, kPingPong};

}  // namespace

std::string_view bench_name(TimedOperation operation) {
  if (operation == kPingPong) return "ping-pong";
  return operation == plan::Operation::kSum ? "allreduce" : plan::name(*operation);
}

std::vector<std::string_view> bench_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kTimed));
  for (const TimedOperation operation : kTimed) names.push_back(bench_name(operation));
  return names;
}

TimedOperation parse_timed_operation(std::string_view text) {
  for (const TimedOperation operation : kTimed) {
    if (bench_name(operation) == text) return operation;
  }
  const std::vector<std::string_view> names = bench_names();
  const bool is_sum = text == plan::name(plan::Operation::kSum);  // as explain calls it
  const std::string_view best = is_sum ? bench_name(plan::Operation::kSum) : nearest(text, names);
  throw bad_input(fmt::format("bench cannot time '{}'", printable(text)),
                  best.empty() ? fmt::format("give one of {}", fmt::join(names, ", "))
                               : fmt::format("try trireme bench {}", best));
}

std::int64_t fewest_bytes(TimedOperation operation, std::int32_t workers) {
  const bool has_chunks = operation != kPingPong && operation != plan::Operation::kSum &&
                          operation != plan::Operation::kBroadcast;
  return static_cast<std::int64_t>(sizeof(float)) * (has_chunks ? workers : 1);
}

double part_on_link(TimedOperation operation, std::int32_t workers) {
  if (operation == kPingPong || operation == plan::Operation::kBroadcast) return 1;
  const double part_of_others = static_cast<double>(workers - 1) / workers;
  return operation == plan::Operation::kSum ? 2 * part_of_others : part_of_others;
}

}  // namespace trireme::cli
