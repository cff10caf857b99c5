// What one node is to run, and how nodes make sure that they run the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/deadline.h"
#include "exec/kernels/element_type.h"
#include "plan/plan.h"
#include "wire/call_signature.h"
#include "wire/wire.h"

namespace trireme::exec {

/// What the exchange leaves in the buffer of every worker.
enum class Result {
  kSum,
  kAverage,  ///< the sum, then one division by the number of workers, by whoever completes a slice
};

/// How much of the plan. Between the two halves of parameter-server whoever holds a share has its sum, and
/// does with it what it likes; what it has then goes out to all.
enum class Half {
  kBoth,
  kToHolders,    ///< up to the sums
  kFromHolders,  ///< from there on
};

/// One node's part; but for the divisor it does not change from run to run.
struct Task {
  /// Throws `Error` when the spec does not pass `check`, integers are to be averaged, or a plan without
  /// holders is to be halved.
  Task(const plan::PlanSpec& spec, ElementType type, Result result, Half half, Rank node);

  [[nodiscard]] std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * element_size);
  }
  /// What an op is called on the wire, mixed with the purpose: so a message of another exchange is not taken
  /// for it, though it comes in its place. The other way round it is the same.
  [[nodiscard]] OpId id_on_wire(OpId id) const { return id ^ static_cast<OpId>(purpose.words_digest >> 1); }

  const plan::PlanSpec spec;
  const ElementType type;
  const std::int64_t element_size;
  const Result result;
  const Half half;
  std::int64_t divisor;               ///< of an average
  const plan::Program program;        ///< of the half
  const wire::CallSignature purpose;  ///< all that must be the same on all nodes
};

/// For wires without windows: returns when all nodes are there with the same purpose; all nodes call it
/// together. Otherwise all throw an `Error` that says who is at what. (Through windows every exchange begins
/// like that.)
void agree(wire::Wire& wire, const wire::CallSignature& purpose, const Deadline& deadline);

}  // namespace trireme::exec
