#include "plan/verifier/problem.h"

#include <fmt/format.h>

#include "plan/explain/words.h"
#include "plan/strategies/operations.h"

namespace trireme::plan::verifier {
namespace {

// A broken plan may name a slice outside the buffer, which no chunk can describe.
std::string where(const PlanSpec& spec, const Slice& slice) {
  if (slice.count <= 0) return "an empty slice";
  const bool inside = slice.first >= 0 && slice.first <= spec.elements() &&
                      slice.count <= spec.elements() - slice.first;  // their sum may overflow
  return inside ? describe(spec, slice) : fmt::format("{} elements from {}", slice.count, slice.first);
}

}  // namespace

void Problems::add(std::int32_t step, Rank node, const Slice& slice, const std::string& text) {
  if (full()) return;
  std::string said = fmt::format("step {} of {}, rank {}, {}: {}", std::int64_t{step} + 1, title(spec_), node,
                                 where(spec_, slice), text);
  found_.push_back({step, node, slice, std::move(said)});
}

void Problems::add(std::vector<Problem> others) {
  for (Problem& problem : others) {
    if (full()) return;
    found_.push_back(std::move(problem));
  }
}

}  // namespace trireme::plan::verifier
