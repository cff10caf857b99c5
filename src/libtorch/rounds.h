// One node's part in the rounds of a training: a worker's, which an Exchange makes, and a server's, which
// follows. All nodes go through the same rounds; before each they tell each other what they are about to do.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/world_impl.h"
#include "libtorch/backward_hooks.h"
#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "libtorch/module_update.h"
#include "rounds/arrivals.h"
#include "rounds/bucket_exchange.h"
#include "rounds/drive_choice.h"
#include "rounds/parameter_flags.h"
#include "rounds/round_note.h"

namespace trireme::libtorch {

/// Not thread-safe. Everything but `samples` and `arrived` is done *together*.
class Rounds {
 public:
  /// All nodes take the weights and buffers of rank 0. The world has its last ranks as servers from now on.
  Rounds(World& world, torch::nn::Module& module, const ExchangeOptions& options);

  [[nodiscard]] bool is_worker() const { return inside_.wire().rank() < workers_; }
  /// Of this worker in the next round.
  void samples(std::int64_t count);
  /// While it says no, backward only adds up.
  void exchange_if(std::function<bool()> wanted) { wanted_ = std::move(wanted); }

  void average();
  void step(const RuleSpec& rule);
  void sum(std::span<double> numbers);
  [[nodiscard]] Exchange::Traffic job_traffic();
  /// Does what the others do until all workers have finished. Does nothing the second time.
  void follow();

  [[nodiscard]] Exchange::Traffic traffic() const;
  [[nodiscard]] std::size_t buckets() const { return gradients_.buckets().size(); }
  /// Tells the others that this node gives up.
  void leave(const Failure& failure) noexcept;
  /// False in a forked child, which is not this node.
  [[nodiscard]] bool is_here() const { return inside_.is_here(); }
  /// Nothing more can be done together: something went wrong, or all have finished.
  [[nodiscard]] bool over() const { return over_; }

 private:
  void prepare_drive();
  void add_buckets_for(const rounds::ParameterFlags& trained);
  template <typename Act>
  auto guarded(Act act);
  void require_going_on(std::string_view what) const;
  void require_nothing_begun(std::string_view what) const;
  [[nodiscard]] bool is_alone() const { return inside_.wire().size() == 1; }
  [[nodiscard]] rounds::Round agree(rounds::RoundNote note);

  // Gradients.
  void begin_round();
  [[nodiscard]] std::int64_t agree_on_gradients(rounds::RoundNote note,
                                                const rounds::ParameterFlags& requiring);
  void learn_trained(const std::optional<rounds::ParameterFlags>& own);
  void arrived(std::size_t parameter);
  void make_ready(std::size_t bucket);
  [[nodiscard]] rounds::Round exchange_gradients_for(const rounds::RoundNote& purpose);
  void exchange_nothing(const rounds::Round& round);
  void take_in_alone();
  void finish_gradients();
  [[nodiscard]] bool lacks_gradients() const;

  // What comes after them.
  void end_round(const rounds::Round& round);
  void update(const RuleSpec& rule);
  void add_up(std::span<double> numbers);
  void follow(const rounds::Round& round);

  WorldAccess::Inside& inside_;
  const ExchangeOptions options_;
  const int number_;  // of several that a program has
  const Rank workers_;
  const std::vector<NamedTensor> buffers_;
  Gradients gradients_;
  const std::vector<std::string> names_;  // of its parameters
  rounds::BucketExchange exchange_;
  ModuleUpdate update_;
  std::unique_ptr<BackwardHooks> hooks_;
  std::function<bool()> wanted_ = [] { return true; };

  // By parameter, as all nodes know it.
  rounds::ParameterFlags trained_;       // those that require a gradient
  rounds::ParameterFlags has_gradient_;  // those of them for which a worker had one in this round
  std::vector<NamedTensor> unfrozen_;    // holders that follow have not seen what programs did to them

  // Of the round at hand.
  bool begun_ = false;
  rounds::Arrivals arrivals_;
  rounds::ParameterFlags seen_;  // where backward has added to a gradient, also while they only add up
  std::optional<std::int64_t> samples_;
  std::optional<rounds::RoundNote> purpose_;  // what the gradients are for, once it is known
  std::optional<rounds::Round> agreed_;       // what all have agreed to do with them, if they have

  std::int64_t rounds_ = 0;
  wire::Counters planned_;        // for all rounds
  wire::Counters others_before_;  // the wire's counters when this began
  Rank last_leader_ = 0;
  bool uneven_ = false;
  bool following_ = false;
  bool over_ = false;
  rounds::DriveChoice drive_;
};

}  // namespace trireme::libtorch
