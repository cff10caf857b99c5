// What a rule must know of a model before it can update a weight, and which rule updates a tensor.
#pragma once

#include <cstdint>
#include <span>

#include "optim/rule_spec.h"

namespace trireme::optim {

/// A parameter as rules see it: one of two and more dimensions is a matrix (out, rest), any other a vector.
struct TensorShape {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  bool is_matrix = false;

  [[nodiscard]] std::int64_t count() const { return rows * columns; }
  bool operator==(const TensorShape&) const = default;
};

[[nodiscard]] TensorShape shape_of(std::span<const std::int64_t> sizes);
[[nodiscard]] TensorShape vector_of(std::int64_t count);

/// How much of the gradients a rule must see before it can update one weight.
enum class Reach {
  kElement,  ///< only the weight's own
  kTensor,   ///< those of its whole tensor
  kModel,    ///< those of all tensors that the rule updates
};
[[nodiscard]] Reach reach(const RuleSpec& spec, const TensorShape& shape);

/// The rule by which a tensor of this shape is updated: that of the spec, but adamw with `vector_rate` times
/// the rate where muon meets a vector, and steepest:l2 where steepest:spectral does (unless the norm is that
/// of the whole model, in which a vector counts as a matrix of one column).
[[nodiscard]] RuleSpec rule_for(const RuleSpec& spec, const TensorShape& shape);

}  // namespace trireme::optim
