// A problem in a plan, in words that name step, node and slice.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan::verifier {

struct Problem {
  std::int32_t step = 0;
  Rank node = 0;
  Slice slice;
  std::string text;  ///< "step 3 of ring, rank 1, chunk 2: …"
};

/// Collects problems up to a limit, because one mistake can cause thousands.
class Problems {
 public:
  Problems(const PlanSpec& spec, std::size_t at_most) : spec_(spec), at_most_(at_most) {}

  void add(std::int32_t step, Rank node, const Slice& slice, const std::string& text);
  void add(Rank node, const Op& op, const std::string& text) { add(op.step, node, op.slice, text); }

  void add(std::vector<Problem> others);

  /// An empty collection for the same plan, with the same limit.
  [[nodiscard]] Problems alike() const { return {spec_, at_most_}; }

  [[nodiscard]] bool none() const { return found_.empty(); }
  [[nodiscard]] bool full() const { return found_.size() >= at_most_; }
  [[nodiscard]] std::vector<Problem> take() { return std::move(found_); }

 private:
  const PlanSpec& spec_;
  std::size_t at_most_;
  std::vector<Problem> found_;
};

}  // namespace trireme::plan::verifier
