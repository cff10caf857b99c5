// The task of one node in an exchange, and how nodes make sure that theirs fit together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/deadline.h"
#include "exec/kernels/element_type.h"
#include "exec/kernels/reduction.h"
#include "plan/plan.h"
#include "wire/call_signature.h"
#include "wire/wire.h"

namespace trireme::exec {

/// The two halves of parameter-server. Between them, whoever holds a share has its sum and may change it; the
/// second half hands out the result.
inline constexpr plan::StepWindow kToHolders{0, 1};
inline constexpr plan::StepWindow kFromHolders{1};

/// One node's part; but for the divisor it does not change from run to run.
struct Task {
  /// Takes the steps in `window` of the plan: all, or one half of parameter-server. Throws `Error` when the
  /// spec does not pass `check`, integers are to be averaged, or a plan without holders is to be
  /// halved.
  Task(const plan::PlanSpec& spec, ElementType type, Reduction reduction, const plan::StepWindow& window,
       Rank node);

  [[nodiscard]] std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * element_size);
  }
  /// The id of an op on the wire is mixed with the signature, so that a message of another exchange is not
  /// taken for it when it comes in its place. The same function leads from the wire's id back.
  [[nodiscard]] OpId id_on_wire(OpId id) const { return id ^ static_cast<OpId>(signature.words_digest >> 1); }

  const plan::PlanSpec spec;
  const ElementType type;
  const std::int64_t element_size;
  const Reduction reduction;
  std::int64_t divisor;                 ///< of an average
  const plan::Program program;          ///< of the steps in the window
  const wire::CallSignature signature;  ///< all that must be the same on all nodes
};

/// For wires without windows: returns when all nodes are there with the same signature; all nodes call it
/// together. Otherwise all throw an `Error` that says who is at what. (Through windows every exchange begins
/// like that.)
void agree(wire::Wire& wire, const wire::CallSignature& signature, const Deadline& deadline);

}  // namespace trireme::exec
