// A server at work: it takes pushes as they come, updates its share, and answers with weights. One thread
// does it all, so a share has one writer and needs no lock; other shares are other servers'.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "server/ledger.h"
#include "server/rate.h"
#include "server/seat.h"
#include "server/share_weights.h"
#include "wire/awaited.h"

namespace trireme::server {

class ShareServer {
 public:
  /// Seats by worker. All outlive it.
  ShareServer(wire::Wire& wire, std::vector<std::unique_ptr<Seat>>& seats, ShareWeights& weights,
              const LedgerSpec& spec, StalenessRate rate, std::chrono::nanoseconds timeout);

  /// Serves the workers of a phase until all have left it. Throws `Error`, after leaving the wire, where a
  /// worker does not push within the timeout, or is lost.
  void serve(const Phase& phase, const RuleOf& rule);

  [[nodiscard]] Ledger& ledger() { return ledger_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  /// Time that updates of weights have taken.
  [[nodiscard]] double update_seconds() const { return update_s_; }
  /// The messages of all updates, as the wire counted them and by the plan; and all others.
  [[nodiscard]] wire::Counters counted() const;
  [[nodiscard]] wire::Counters planned() const;
  [[nodiscard]] const wire::Counters& others() const { return others_; }

 private:
  enum class At : std::uint8_t {
    kAwaitsPush,
    kHolds,    // a push that is not answered
    kAnswers,  // the answer is on its way
    kRests,    // the worker has left, and has the last weights
  };
  struct Place {
    At at = At::kRests;
    bool is_last = false;          // nothing comes after the answer
    bool is_update = false;        // the exchange counts as one
    std::int64_t weights_of = -1;  // where there were gradients, the memory has the weights of this version
    std::vector<bool> has_gradient{};   // by part
    Deadline::Clock::time_point since;  // a worker that has left holds
  };
  class SomePush;

  [[nodiscard]] bool is_over() const;
  void await_push(Rank worker);
  [[nodiscard]] std::optional<Rank> look();
  /// The half of an update that is under way; null: none is.
  [[nodiscard]] exec::Runner* half_under_way(Rank worker) const;
  [[nodiscard]] Rank next_due() const;
  void wait();
  void take(Rank worker);
  void take_gradient(Rank worker, const PushNote& note);
  void take_leave(Rank worker, const PushNote& note);
  void apply(Rank worker);
  void apply_round();
  void answer_released();
  void answer_leavers();
  void answer(Rank worker, AnswerNote note);

  wire::Wire& wire_;
  std::vector<std::unique_ptr<Seat>>& seats_;
  ShareWeights& weights_;
  Ledger ledger_;
  const StalenessRate rate_;
  const Rank workers_;
  const std::chrono::nanoseconds timeout_;
  const RuleOf* rule_ = nullptr;  // of the phase at hand
  std::vector<Place> places_;     // by worker
  std::vector<float> sum_;        // of a round
  std::optional<Rank> came_;
  bool posted_ = false;  // since messages were moved
  Rank turn_ = 0;        // who is looked at first
  wire::Counters others_;
  wire::Counters planned_;
  double update_s_ = 0;
};

}  // namespace trireme::server
