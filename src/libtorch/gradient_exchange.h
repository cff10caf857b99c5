// One node's gradients in every round: from the hooks of backward to the averages in the buckets.
#pragma once

#include <trireme/torch.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/world_impl.h"
#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "rounds/agreement.h"
#include "rounds/arrivals.h"
#include "rounds/bucket_runners.h"
#include "rounds/drive_choice.h"
#include "rounds/parameter_flags.h"
#include "rounds/round_note.h"

namespace trireme::libtorch {

/// Not thread-safe. Calls marked *together* are made by all nodes. After an exception there is no other
/// round.
class GradientExchange {
 public:
  /// Has no buckets at first. Everything but the parameters outlives it.
  GradientExchange(WorldAccess::Inside& inside, std::vector<NamedTensor> parameters,
                   const ExchangeOptions& options, rounds::Agreement& agreement, rounds::DriveChoice& drive);

  /// *Together*, between rounds: trained parameters that have no place get one, in more buckets.
  void place();

  /// Sets how many samples the gradients of the next round are the mean of, on this worker.
  void samples(std::int64_t count) { samples_ = count; }
  /// The same, once, where there are no rounds.
  [[nodiscard]] std::optional<std::int64_t> take_samples() { return std::exchange(samples_, std::nullopt); }
  /// Backward has added to this gradient. Unless gradients only `add_up` until a later backward, the bucket
  /// that it completes may be exchanged.
  void arrived(std::size_t parameter, bool add_up);
  /// Buckets of the round at hand may be under way.
  [[nodiscard]] bool is_begun() const { return begun_; }
  /// Backward has left gradients that have not been exchanged.
  [[nodiscard]] bool is_due() const { return begun_ || arrivals_.any(); }

  /// *Together*, after backward: exchanges the gradients. Returns what all have agreed to do with them, which
  /// is what `purpose` says.
  [[nodiscard]] rounds::Round exchange_for(const rounds::RoundNote& purpose);
  /// *Together*, in a round of the others: this node has no gradients, and adds zeros.
  void exchange_zeros(const rounds::Round& round);
  /// *Together*, after the exchange: learns which parameters have a gradient. `takes_part`: this node brought
  /// some.
  void learn_gradients(const rounds::Round& round, bool takes_part);
  /// Parameters that have a gradient get it from the buckets, where a step has left zeros.
  void give_back(bool after_step) { gradients_.give_back(has_gradient_, after_step); }
  /// Nothing uses the wire any more.
  void stop() noexcept;

  [[nodiscard]] const Gradients& gradients() const { return gradients_; }
  [[nodiscard]] rounds::BucketRunners& runners() { return runners_; }
  [[nodiscard]] const rounds::BucketRunners& runners() const { return runners_; }
  /// By parameter: a worker had a gradient for it in the last round.
  [[nodiscard]] const rounds::ParameterFlags& has_gradient() const { return has_gradient_; }
  /// Parameters that were unfrozen since the last call, if others than workers hold weights: a holder that
  /// follows has not seen how programs changed them.
  [[nodiscard]] std::vector<NamedTensor> take_unfrozen();

 private:
  [[nodiscard]] bool is_alone() const { return inside_.wire().size() == 1; }
  void begin_round();
  void agree(const rounds::ParameterFlags& requiring);
  void learn_trained(const std::optional<rounds::ParameterFlags>& own);
  void make_ready(std::size_t bucket);
  void finish_round();
  void take_in_alone();
  [[nodiscard]] bool lacks_gradients() const;

  WorldAccess::Inside& inside_;
  const ExchangeOptions& options_;
  rounds::Agreement& agreement_;
  rounds::DriveChoice& drive_;
  Gradients gradients_;
  const std::vector<std::string> names_;  // of its parameters
  rounds::BucketRunners runners_;

  // By parameter, as all nodes know it.
  rounds::ParameterFlags trained_;       // it requires a gradient
  rounds::ParameterFlags has_gradient_;  // and a worker had one in this round
  std::vector<NamedTensor> unfrozen_;

  // The round at hand.
  bool begun_ = false;
  rounds::Arrivals arrivals_;
  rounds::ParameterFlags seen_;  // backward has added to the gradient, also while gradients only add up
  std::optional<std::int64_t> samples_;
  std::optional<rounds::RoundNote> purpose_;  // of its gradients, once it is known
  std::optional<rounds::Round> agreed_;       // nothing: no bucket may be exchanged yet
};

}  // namespace trireme::libtorch
