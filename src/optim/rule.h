// Update rules: how a step changes the weights, given the gradients, on flat float32 memory. Most are
// elementwise, so a server can update its share block by block and a worker everything at once; some look at
// whole tensors, or at the whole model (reach.h).
//
// A weight's new bits depend only on weights, gradients, state and step: not on the processor, on alignment,
// on threads, or, in an elementwise rule, on other weights and on where a range is cut. (The bits of a NaN
// may differ.) Multiplications and additions are not fused, and nothing is approximated.
//
// The formulas are those of PyTorch 1.13 on a CPU or of the rule's authors, each operation on w, g, m and v
// rounded to float32 in the order written:
//
//   d = g + weight_decay·w                      (d = g without weight decay)
//   sgd        w ← w + (−rate)·d
//   momentum   m ← momentum·m + d               (m = d in the first step)
//              w ← w + (−rate)·m
//   nesterov   m ← momentum·m + d               (m = d in the first step)
//              w ← w + (−rate)·(d + momentum·m)
//   adam       m ← beta1·m + (1−beta1)·d
//              v ← beta2·v + ((1−beta2)·d)·d
//              w ← w + ((−rate/c1)·m) / (√v / √c2 + epsilon)   with c1 = 1 − beta1^t, c2 = 1 − beta2^t
//   adamw      w ← w·(1 − rate·weight_decay), then as adam with d = g
//   signsgd    w ← w + (−rate)·sign(d)          (sign(0) = 0)
//   lion       w ← w·(1 − rate·weight_decay) + (−rate)·sign(beta1·m + (1−beta1)·g), with the old m
//              m ← beta2·m + (1−beta2)·g
//
// and of rules that look at whole tensors, with ‖·‖ the root of the sum of squares (block_sum.h):
//
//   lars       λ = trust·‖w‖ / (‖g‖ + weight_decay·‖w‖)        (1 if ‖w‖ or ‖g‖ is 0)
//              m ← momentum·m + (rate·λ)·d
//              w ← w + (−1)·m
//   lamb       m and v as adam with d = g
//              u = weight_decay·w + ((1/c1)·m) / (√v / √c2 + epsilon)
//              w ← w + (−rate·φ(‖w‖)/‖u‖)·u     (−rate·u if ‖w‖ or ‖u‖ is 0)
//                                               with φ(z) = min(max(z, phi_least), phi_most)
//   muon       m ← momentum·m + g               (m = g in the first step)
//              X = g + momentum·m, orthogonalized roughly (orthogonal.h)
//              w ← w·(1 − rate·weight_decay) + (−rate·√max(1, rows/columns))·X
//   steepest   w ← w + (−(rate/2)·‖d‖*)·v       (measure.h; l2 is sgd with half the rate)
//
// The papers on lamb leave the bounds of φ open; 0 and 10 are those of the implementation that most others
// copy. Muon's scale and decay are those of torch.optim.Muon; what is no matrix is updated by adamw with
// vector_rate·rate, and with the same weight decay.
//
// Values that hold for the whole step — −rate, 1−beta1, 1−beta2, −rate/c1, √c2, 1 − rate·weight_decay,
// rate·λ, other factors in brackets, and the numbers of the spec — are computed in double and rounded to
// float32 once. t is the step's number. PyTorch's own vector code fuses some of these operations on
// processors that can, and PyTorch 2 writes adam's m as m + (1−beta1)·(d − m); both may differ from this in
// the last bit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "optim/measure.h"
#include "optim/reach.h"
#include "optim/rule_spec.h"

namespace trireme::optim {

/// The values that change from step to step. A step counts once per round, in however many blocks it is
/// applied.
struct UpdateStep {
  std::int64_t number = 1;  ///< the first step is 1
  double rate = 0;          ///< the learning rate of this step
};

/// One array of a rule's state, with one element for each weight.
struct RuleState {
  std::string_view name;
  std::span<float> values;
};

/// A rule together with its state for one parameter, or for a range of one if its reach is kElement.
class UpdateRule {
 public:
  /// Throws `Error` if `check(spec)` does.
  UpdateRule(const RuleSpec& spec, const TensorShape& shape);

  /// Of reach kElement only: applies one step to the weights [first, first + weights.size()) of the range;
  /// `gradients` holds their gradients. Every element of the range must be updated once per step. Weights and
  /// gradients do not overlap; threads may update disjoint ranges at the same time.
  void apply(std::span<float> weights, std::span<const float> gradients, std::int64_t first,
             const UpdateStep& step);

  /// Of any reach but kModel: applies one step to the whole tensor.
  void apply_tensor(std::span<float> weights, std::span<const float> gradients, const UpdateStep& step);

  /// Of reach kModel only: first every tensor is measured, then `measures_of_model` says what each gets, then
  /// one step is applied to each, with the same weights and gradients that were measured.
  [[nodiscard]] Measure measure(std::span<const float> weights, std::span<const float> gradients);
  void apply_tensor(std::span<float> weights, std::span<const float> gradients, const UpdateStep& step,
                    const Measure& of_model);

  /// The whole state of the rule, to be saved or overwritten: "momentum_buffer" for momentum, nesterov, lars,
  /// and muon's matrices; "exp_avg" (m) and "exp_avg_sq" (v) for adam, adamw, lamb, and muon's vectors;
  /// "exp_avg" for lion; nothing for others. The names are PyTorch's. The spans are valid as long as the
  /// rule. Before the first step the momentum is −0, so that adding d gives d.
  [[nodiscard]] std::vector<RuleState> state();

  [[nodiscard]] const RuleSpec& spec() const { return spec_; }
  [[nodiscard]] const TensorShape& shape() const { return shape_; }

 private:
  [[nodiscard]] UpdateStep scaled(const UpdateStep& step) const;
  void apply_lars(std::span<float> weights, std::span<const float> gradients, const UpdateStep& step);
  void apply_lamb(std::span<float> weights, std::span<const float> gradients, const UpdateStep& step);
  void apply_muon(std::span<float> weights, std::span<const float> gradients, const UpdateStep& step);
  void measure_tensor(std::span<const float> weights, std::span<const float> gradients);
  void apply_direction(std::span<float> weights, const UpdateStep& step, const Measure& of_model);
  void take_decayed(std::span<const float> weights, std::span<const float> gradients);
  void move(std::span<float> weights, float factor);

  RuleSpec spec_;
  RuleSpec applied_;  // rule_for(spec_, shape_)
  TensorShape shape_;
  std::vector<float> first_moment_;   // m
  std::vector<float> second_moment_;  // v
  std::vector<float> direction_;      // of the update of a whole tensor
  Measure own_;                       // of the direction
};

}  // namespace trireme::optim
