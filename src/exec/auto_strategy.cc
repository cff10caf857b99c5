#include "exec/auto_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"

namespace trireme::exec {
namespace {

constexpr std::int64_t kAny = INT64_MAX;

struct Row {
  wire::WireKind wire;
  bool in_window;
  std::int64_t most_workers;
  std::int64_t most_bytes;
  plan::Strategy strategy;
};

// The first row that fits. Measured by `trireme bench allreduce` with 2 and 4 workers on 2 cores, 4 bytes to
// 64 MiB. In shared memory one round of ticks with more additions wins while buffers are small, two rounds
// with fewer afterwards; by messages, as between threads and over TCP and MPI, the ring moves the fewest
// bytes.
constexpr Row kTable[] = {
    {wire::WireKind::kShm, true, 2, 512, plan::Strategy::kAllToAll},
    {wire::WireKind::kShm, true, 2, kAny, plan::Strategy::kDirect},
    {wire::WireKind::kShm, true, kAny, 4 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kShm, true, kAny, kAny, plan::Strategy::kDirect},
    {wire::WireKind::kShm, false, kAny, 8 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kShm, false, kAny, kAny, plan::Strategy::kDirect},
    {wire::WireKind::kTcp, false, 2, 32 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kTcp, false, 2, kAny, plan::Strategy::kDirect},
    {wire::WireKind::kTcp, false, kAny, 32 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kTcp, false, kAny, kAny, plan::Strategy::kRing},
    {wire::WireKind::kMixed, false, kAny, 32 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kMixed, false, kAny, kAny, plan::Strategy::kRing},
    {wire::WireKind::kMpi, false, kAny, 8 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kMpi, false, kAny, kAny, plan::Strategy::kRing},
    {wire::WireKind::kThreads, false, kAny, 8 << 10, plan::Strategy::kAllToAll},
    {wire::WireKind::kThreads, false, kAny, 512 << 10, plan::Strategy::kDirect},
    {wire::WireKind::kThreads, false, kAny, kAny, plan::Strategy::kRing},
};

struct OperationRow {
  plan::Operation operation;
  bool has_windows;
  std::int32_t least_workers;
  std::int64_t most_bytes;
  plan::Strategy strategy;
};

// The first row that fits. Where nodes read each other's memory, one step is enough for all. By messages, few
// steps win while messages are short, and pieces that several nodes send at once when they are long.
constexpr OperationRow kOperations[] = {
    {plan::Operation::kBroadcast, true, 1, kAny, plan::Strategy::kStar},
    {plan::Operation::kBroadcast, false, 3, 64 << 10, plan::Strategy::kTree},
    {plan::Operation::kBroadcast, false, 3, kAny, plan::Strategy::kDirect},
    {plan::Operation::kBroadcast, false, 1, kAny, plan::Strategy::kTree},
    {plan::Operation::kGather, false, 9, 64 << 10, plan::Strategy::kTree},
    {plan::Operation::kScatter, false, 9, 64 << 10, plan::Strategy::kTree},
    {plan::Operation::kAllGather, false, 9, kAny, plan::Strategy::kRing},
};

// "up to 512 bytes", "above 4,096 bytes", "from 8,193 to 524,288 bytes".
std::string range_in_words(std::size_t at) {
  const Row& row = kTable[at];
  const bool has_row_before = at > 0 && kTable[at - 1].wire == row.wire &&
                              kTable[at - 1].in_window == row.in_window &&
                              kTable[at - 1].most_workers == row.most_workers;
  if (!has_row_before) return fmt::format("up to {} bytes", with_commas(row.most_bytes));
  const std::int64_t below = kTable[at - 1].most_bytes;
  if (row.most_bytes == kAny) return fmt::format("above {} bytes", with_commas(below));
  return fmt::format("from {} to {} bytes", with_commas(below + 1), with_commas(row.most_bytes));
}

}  // namespace

std::optional<plan::Strategy> parse_strategy_or_auto(std::string_view text) {
  constexpr std::array<std::string_view, 1> kAuto = {"auto"};
  if (text == kAuto[0]) return std::nullopt;
  return plan::parse_strategy(text, kAuto);
}

Choice choose_strategy(plan::Operation operation, bool has_windows, std::int32_t workers,
                       std::int64_t bytes) {
  const auto row = std::ranges::find_if(kOperations, [&](const OperationRow& r) {
    return r.operation == operation && r.has_windows == has_windows && workers >= r.least_workers &&
           bytes <= r.most_bytes;
  });
  const plan::Strategy strategy = row == std::end(kOperations) ? plan::Strategy::kDirect : row->strategy;
  const std::string_view reason = has_windows                         ? "in one step, since all share memory"
                                  : strategy == plan::Strategy::kTree ? "few messages, while they are short"
                                  : strategy == plan::Strategy::kRing ? "few connections at once"
                                  : operation == plan::Operation::kBroadcast
                                      ? "pieces that all send on at once"
                                      : "in one step";
  return {strategy, fmt::format("{}: {}", plan::title(operation, strategy), reason)};
}

Choice choose_strategy(wire::WireKind wire, bool in_window, std::int32_t workers, std::int64_t bytes) {
  const auto row = std::find_if(std::begin(kTable), std::end(kTable), [&](const Row& r) {
    return r.wire == wire && r.in_window == in_window && workers <= r.most_workers && bytes <= r.most_bytes;
  });
  if (row == std::end(kTable))
    return {plan::Strategy::kDirect, "direct, because nothing was measured for this case"};
  return {row->strategy, fmt::format("{}, fastest in built-in measurements on 2 cores: wire {}, {}, {}",
                                     plan::name(row->strategy), wire::name(wire), counted(workers, "worker"),
                                     range_in_words(idx(row - std::begin(kTable))))};
}

}  // namespace trireme::exec
