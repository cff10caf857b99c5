// What one node is to run, and how nodes make sure that they run the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/deadline.h"
#include "exec/element_type.h"
#include "plan/plan.h"
#include "wire/wire.h"

namespace trireme {

/// What the exchange leaves in the buffer of every worker.
enum class Result {
  kSum,
  kAverage,  ///< the sum, then one division by the number of workers, by whoever completes a slice
};

/// All that must be the same on all nodes, as numbers: long lists as a digest of them.
using Facts = std::array<std::int64_t, 11>;
[[nodiscard]] Facts facts_of(const PlanSpec& spec, ElementType type, Result result);

/// A number that differs, as good as certainly, when one of the numbers does.
[[nodiscard]] std::uint64_t mix(std::uint64_t digest, std::uint64_t number);

/// One node's part; does not change from run to run.
struct Task {
  /// Throws `Error` when the spec does not pass `check` or integers are to be averaged.
  Task(const PlanSpec& spec, ElementType type, Result result, Rank node);

  [[nodiscard]] std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * element_size);
  }

  const PlanSpec spec;
  const ElementType type;
  const std::int64_t element_size;
  const Result result;
  const Program program;
  const Facts facts;
  const std::uint64_t digest;  ///< of the facts
};

/// Returns when all nodes are there and have the same facts; all nodes call it together. Otherwise all throw
/// an `Error` that says who differs in what.
void agree(Wire& wire, const Facts& facts, const Deadline& deadline);

}  // namespace trireme
