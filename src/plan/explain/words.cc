#include "plan/explain/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/movements/pairing_off.h"
#include "plan/movements/tree_edges.h"
#include "plan/share.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

std::string_view phase_of_doubling(const PairingOff& pairs, std::int32_t step, std::int32_t reducing,
                                   std::int32_t sharing, std::string_view reduce) {
  if (step < pairs.first_step()) return "hand over";
  step -= pairs.first_step();
  if (step < reducing) return reduce;
  return step < reducing + sharing ? "share" : "hand back";
}

std::string_view phase_of_hierarchical(const PlanSpec& spec, std::int32_t step) {
  const bool inside = spec.workers > spec.hosts;
  const std::int32_t across = spec.hosts - 1;
  if (inside && step == 0) return "reduce inside hosts";
  step -= inside ? 1 : 0;
  if (step < across) return "reduce across hosts";
  return step < 2 * across ? "share across hosts" : "share inside hosts";
}

std::string describe_share(const PlanSpec& spec, const Slice& slice) {
  std::int32_t j = 0;  // the first share that ends behind the slice's first element
  for (std::int32_t end = share_count(spec) - 1; j < end;) {
    const std::int32_t middle = j + (end - j) / 2;
    if (share(spec, middle).end() > slice.first) {
      end = middle;
    } else {
      j = middle + 1;
    }
  }
  return share(spec, j) == slice ? fmt::format("share {}", j) : describe_elements(slice);
}

std::string describe_chunks(const PlanSpec& spec, const Slice& slice) {
  const std::int64_t first = chunk_of(slice.first, spec.parameters, spec.workers);
  const std::int64_t last = chunk_of(slice.end() - 1, spec.parameters, spec.workers);
  if (chunks(first, last + 1, spec.parameters, spec.workers) != slice) return describe_elements(slice);
  return first == last ? fmt::format("chunk {}", first) : fmt::format("chunks {}–{}", first, last);
}

// For all-to-all.
std::string describe_in_row(const PlanSpec& spec, const Slice& slice) {
  const std::int64_t row = slice.first / spec.parameters;
  const Slice in_row{slice.first - row * spec.parameters, slice.count};
  if (in_row.end() > spec.parameters) return describe_elements(slice);  // of several rows
  if (in_row.count == spec.parameters) return fmt::format("row {}", row);
  return fmt::format("{} of row {}", describe_chunks(spec, in_row), row);
}

std::string_view phase_of_sum(const PlanSpec& spec, std::int32_t step) {
  switch (spec.strategy) {
    case Strategy::kAllToAll:
      return "exchange";
    case Strategy::kParameterServer:
      return step == 0 ? "push" : "pull";
    case Strategy::kRing:
      return step < spec.workers - 1 ? "reduce" : "share";
    case Strategy::kDirect:
      return step == 0 ? "reduce" : "share";
    case Strategy::kRecursiveDoubling: {
      const PairingOff pairs(spec.workers);
      return phase_of_doubling(pairs, step, pairs.levels, 0, "exchange");
    }
    case Strategy::kHalvingDoubling: {
      const PairingOff pairs(spec.workers);
      return phase_of_doubling(pairs, step, pairs.levels, pairs.levels, "reduce");
    }
    case Strategy::kTree:
      return step < tree_height(spec.workers) ? "reduce" : "share";
    case Strategy::kHierarchical:
      return phase_of_hierarchical(spec, step);
    case Strategy::kStar:
      break;
  }
  return "?";
}

}  // namespace

std::string describe_elements(const Slice& slice) {
  if (slice.count == 1) return fmt::format("element {}", slice.first);
  return fmt::format("elements {}–{}", slice.first, slice.end() - 1);
}

std::string describe(const PlanSpec& spec, const Slice& slice) {
  if (slice.empty()) return "nothing";
  if (slice == Slice{0, spec.elements()}) return "the whole buffer";
  if (spec.strategy == Strategy::kParameterServer) return describe_share(spec, slice);
  if (spec.strategy == Strategy::kHalvingDoubling && PairingOff(spec.workers).extra > 0) {
    return describe_elements(slice);  // cut for the participants, not for all workers
  }
  return spec.operation == Operation::kAllToAll ? describe_in_row(spec, slice) : describe_chunks(spec, slice);
}

bool has_chunks(const PlanSpec& spec) {
  if (spec.operation != Operation::kSum) {
    return spec.operation != Operation::kBroadcast || spec.strategy == Strategy::kDirect;
  }
  return spec.strategy == Strategy::kRing || spec.strategy == Strategy::kDirect ||
         spec.strategy == Strategy::kHierarchical ||
         (spec.strategy == Strategy::kHalvingDoubling && PairingOff(spec.workers).extra == 0);
}

std::string_view phase(const PlanSpec& spec, std::int32_t step) {
  switch (spec.operation) {
    case Operation::kSum:
      return phase_of_sum(spec, step);
    case Operation::kBroadcast:
      if (spec.strategy != Strategy::kDirect) return "broadcast";
      return step == 0 ? "scatter" : "share";
    case Operation::kGather:
      return "gather";
    case Operation::kAllGather:
      return "share";
    case Operation::kScatter:
      return "scatter";
    case Operation::kReduceScatter:
      return spec.strategy == Strategy::kRing && step == spec.workers - 1 ? "hand over" : "reduce";
    case Operation::kAllToAll:
      return "exchange";
  }
  return "?";
}

std::string say(const PlanSpec& spec, const Op& op) {
  const std::string what = describe(spec, op.slice);
  std::string where = fmt::format("step {} of {}", op.step + 1, title(spec));
  switch (op.kind) {
    case OpKind::kSend:
      return fmt::format("{}: send {} to rank {}", where, what, op.peer);
    case OpKind::kReceive:
      return fmt::format("{}: receive {} from rank {}", where, what, op.peer);
    case OpKind::kFold:
      return fmt::format("{}: add up {}", where, what);
  }
  return where;
}

}  // namespace trireme::plan
