// One node's part in the rounds of a training: a worker's, which an Exchange makes, and a server's, which
// follows. All nodes go through the same rounds; before each they tell each other what they are about to do.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/world_impl.h"
#include "checkpoint/saved.h"
#include "libtorch/backward_hooks.h"
#include "libtorch/free_steps.h"
#include "libtorch/gradient_exchange.h"
#include "libtorch/module_tensors.h"
#include "libtorch/module_update.h"
#include "libtorch/state_loader.h"
#include "libtorch/state_saver.h"
#include "rounds/agreement.h"
#include "rounds/drive_choice.h"
#include "rounds/round_note.h"

namespace trireme::libtorch {

/// Not thread-safe. Everything but `samples` and `no_sync`, and what is called "no round", is done
/// *together*.
class Rounds {
 public:
  /// All nodes take the weights and buffers of rank 0. The last ranks of the group are servers from now on.
  Rounds(Group& group, torch::nn::Module& module, const ExchangeOptions& options);

  /// The group without its servers.
  [[nodiscard]] Group& workers() { return without_servers_ ? *without_servers_ : group_; }

  /// Sets how many samples the gradients of the next round are the mean of, on this worker.
  void samples(std::int64_t count);
  /// While the returned object lives, gradients only add up, and `average` and `step` do nothing.
  [[nodiscard]] std::shared_ptr<void> no_sync();

  void average();
  void step(const RuleSpec& rule);
  void sum(std::span<double> numbers);
  [[nodiscard]] Exchange::Traffic job_traffic();
  /// This node has no batches, or no more: it follows the others until all have finished. Does nothing the
  /// second time.
  void finish();

  /// Saves the state of all nodes, as it is between two steps. The request is that of the first worker that
  /// has not finished. The state's workers, servers and strategy are filled in, and the rule, if it is empty.
  void save(SaveRequest request);
  /// Waits until all that is under way is saved, or has failed.
  void settle();
  /// How the last save ended; once, and for the one whose request it was. No round.
  [[nodiscard]] std::optional<SaveResult> take_saved() { return saver_.take_result(); }
  /// All go on from a checkpoint, and get it; nothing where the run is new.
  [[nodiscard]] std::optional<checkpoint::Saved> load(const LoadRequest& request);
  /// All nodes learn in the next average or step what this one wishes: `rounds::kWishSave`, …. No round.
  void wish(std::uint8_t wishes) { standing_.wishes |= wishes; }
  /// What any node has wished in averages and steps since the last call: the same on all workers. No round.
  [[nodiscard]] std::uint8_t take_wishes() { return std::exchange(wishes_, std::uint8_t{0}); }

  // In modes other than sync:
  /// The gradients of the next phase. Steps begin it if it has not begun, and all else that is done
  /// *together* leaves it. Not called, it has no limit. No round.
  void plan_phase(const server::Phase& phase) { phase_ = phase; }
  /// *Together*: begins the phase, before a step is known to need it.
  void begin_phase(const RuleSpec& rule);
  /// Leaves the phase, if it has begun. Returns how many steps of all workers it had.
  std::int64_t end_phase();
  /// The loss of the mini-batch of the next step. No round.
  void tell_loss(double loss) { loss_ = loss; }
  /// *Together*: by rank, what servers have recorded (server/report.h); empty for workers.
  [[nodiscard]] std::vector<std::string> share_reports();
  /// Null in mode sync.
  [[nodiscard]] const FreeSteps* free() const { return free_.get(); }

  /// Leaves the job and tells the others why.
  void give_up(const Failure& why) noexcept;

  [[nodiscard]] Exchange::Traffic traffic() const;
  [[nodiscard]] std::size_t buckets() const { return gradients_.gradients().buckets().size(); }
  /// False in a forked child, which is not this node.
  [[nodiscard]] bool is_here() const { return inside_.is_here(); }

 private:
  template <typename Act>
  auto guarded(Act act);
  void require_going_on(std::string_view what) const;
  void require_nothing_begun(std::string_view what) const;
  [[nodiscard]] Group group_of_workers();
  [[nodiscard]] bool is_worker() const { return inside_.wire().rank() < workers_; }
  [[nodiscard]] bool is_alone() const { return inside_.wire().size() == 1; }

  void arrived(std::size_t parameter);
  void step_freely(const RuleSpec& rule);
  void leave_phase();
  void follow_phase(const rounds::Round& round);
  [[nodiscard]] std::string report();
  void end_round(const rounds::Round& round);
  void update(const RuleSpec& rule);
  void add_up(std::span<double> numbers);
  void follow(const rounds::Round& round);
  void save_for(Rank leader, SaveRequest* request);
  [[nodiscard]] StateSaver::Holdings holdings();
  [[nodiscard]] std::optional<checkpoint::Saved> load_from(Rank leader, const LoadRequest* request);

  Group& group_;
  std::optional<Group> without_servers_;  // where it has servers; empty on these
  WorldAccess::Inside& inside_;
  const ExchangeOptions options_;
  const Rank workers_;
  const std::vector<NamedTensor> buffers_;
  rounds::DriveChoice drive_;
  rounds::Standing standing_;
  rounds::Agreement agreement_;
  GradientExchange gradients_;
  rounds::ShareSum sum_of_shares_;
  ModuleUpdate update_;  // in mode sync
  StateSaver saver_;
  std::unique_ptr<BackwardHooks> hooks_;
  std::weak_ptr<void> adding_up_;  // gradients are not exchanged while it lives

  std::unique_ptr<FreeSteps> free_;  // null in mode sync
  server::Phase phase_;
  double loss_ = 0;

  std::uint8_t wishes_ = 0;
  std::string rule_;  // of the last step, in words
  std::int64_t rounds_ = 0;
  wire::Counters planned_;        // for the buckets of all rounds
  wire::Counters others_before_;  // the wire's counters when this began
  bool following_ = false;
  bool over_ = false;  // all have finished, or something went wrong: nothing can be done together any more
};

// If anything goes wrong, nothing can be done together any more, and the others are told.
template <typename Act>
auto Rounds::guarded(Act act) {
  try {
    return act();
  } catch (const std::exception& exception) {
    give_up(failure_of(exception));
    throw;
  }
}

}  // namespace trireme::libtorch
