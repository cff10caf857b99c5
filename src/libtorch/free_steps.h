// One node's part in steps for which workers do not wait for all others: a worker pushes its own gradient to
// the servers and gets weights back; a server updates its share as gradients come.
#pragma once

#include <trireme/torch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/world_impl.h"
#include "checkpoint/state.h"
#include "libtorch/module_shares.h"
#include "libtorch/module_tensors.h"
#include "libtorch/rule_state_owner.h"
#include "libtorch/saved_rule_state.h"
#include "rounds/parameter_groups.h"
#include "server/placement.h"
#include "server/seat.h"
#include "server/share_client.h"
#include "server/share_server.h"

namespace trireme::libtorch {

/// Not thread-safe. Calls marked *together* are made by all nodes.
class FreeSteps final : public RuleStateOwner {
 public:
  /// *Together.* Nothing if the options ask for rounds of all workers. Parameters and options outlive it.
  [[nodiscard]] static std::unique_ptr<FreeSteps> make(WorldAccess::Inside& inside,
                                                       const std::vector<NamedTensor>& parameters,
                                                       const ExchangeOptions& options, Rank workers);
  FreeSteps(WorldAccess::Inside& inside, const std::vector<NamedTensor>& parameters,
            const ExchangeOptions& options, Rank workers);

  // On a worker:
  /// *Together*: a phase begins, in which all steps are by this rule, but for its rate.
  void begin(const server::Phase& phase, const RuleSpec& rule);
  [[nodiscard]] bool is_in_phase() const { return in_phase_; }
  /// Pushes the gradients of the module, which are zero afterwards, and takes the weights.
  void step(const RuleSpec& rule, double loss, std::uint8_t wishes);
  /// The next step pushes none but what is added until then.
  void forget_gradients();
  /// Leaves the phase. Returns when all workers have, with the weights that all have then.
  void leave(std::uint8_t wishes);
  /// The number of this worker's next mini-batch in the phase; kNone: it has no more.
  [[nodiscard]] std::int64_t next() const { return next_; }
  /// What the server that hands out mini-batches has said last.
  [[nodiscard]] const server::AnswerNote& heard() const { return heard_; }

  // On a server:
  /// *Together*: serves the workers until all have left the phase.
  void serve(const server::Phase& phase, const RuleSpec& rule);

  // On both:
  [[nodiscard]] const server::Placement& placement() const { return placement_; }
  /// Null on workers, and where the share is empty.
  [[nodiscard]] server::ShareServer* server() { return server_ ? &*server_ : nullptr; }
  void add_traffic(Exchange::Traffic& traffic) const;
  /// Throws `Error` where a rule needs what a server does not have.
  void require_updatable(const RuleSpec& rule) const;

  /// *Together*: the numbers that a checkpoint keeps of all nodes; and back.
  void save_counts(checkpoint::State& state);
  void load_counts(const checkpoint::State& state);
  [[nodiscard]] std::vector<checkpoint::RuleStatePart> state(bool of_unplaced) override;
  void start_from(std::shared_ptr<const checkpoint::RuleStateReader> saved) override;
  [[nodiscard]] bool is_shared_out() const override { return true; }

 private:
  [[nodiscard]] bool is_server() const { return inside_.wire().rank() >= workers_; }
  void take_weights();

  WorldAccess::Inside& inside_;
  const std::vector<NamedTensor>& parameters_;
  const ExchangeOptions& options_;
  const Rank workers_;
  const rounds::ParameterGroups groups_;
  const server::Placement placement_;
  ModuleShares shares_;
  std::vector<std::unique_ptr<server::Seat>> seats_;
  std::optional<server::ShareClient> client_;  // on a worker
  std::optional<server::ShareWeights> share_;  // on a server whose share is not empty
  std::optional<server::ShareServer> server_;  // likewise
  SavedRuleState saved_;
  RuleSpec rule_;  // of the phase
  bool in_phase_ = false;
  std::int64_t next_ = server::AnswerNote::kNone;
  server::AnswerNote heard_;
  std::int64_t steps_ = 0;
};

}  // namespace trireme::libtorch
