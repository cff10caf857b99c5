// The rounds of modes other than sync: steps are taken in phases, between two rounds of all nodes.
#include <utility>

#include "base/error.h"
#include "libtorch/node_texts.h"
#include "libtorch/rounds.h"
#include "rounds/parameter_groups.h"
#include "server/report.h"

namespace trireme::libtorch {
namespace {

server::Phase phase_of(const rounds::Round& round) {
  return {.first = round.first, .gradients = round.gradients, .records = round.records};
}

}  // namespace

void Rounds::begin_phase(const RuleSpec& rule) {
  require_going_on("a phase");
  check(rule);
  free_->require_updatable(rule);
  rule_ = rounds::rule_in_words(rule);
  guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kPhase;
    note.rule = rule;
    note.first = phase_.first;
    note.gradients = phase_.gradients;
    note.records = phase_.records;
    const rounds::Round round = agreement_.on(note);
    free_->begin(phase_of(round), round.rule);
  });
}

void Rounds::step_freely(const RuleSpec& rule) {
  if (!free_->is_in_phase()) begin_phase(rule);
  guarded([&] {
    if (gradients_.take_samples() == 0) free_->forget_gradients();  // the mean of no samples may be NaN
    free_->step(rule, loss_, standing_.wishes);
    standing_.wishes = 0;
    wishes_ |= free_->heard().wishes;
  });
}

void Rounds::leave_phase() {
  if (!free_ || !free_->is_in_phase()) return;
  guarded([&] {
    free_->leave(standing_.wishes);
    standing_.wishes = 0;
    wishes_ |= free_->heard().wishes;
  });
}

std::int64_t Rounds::end_phase() {
  leave_phase();
  return free_->heard().steps;
}

// A worker that has finished has no part in it, but for the weights at its end.
void Rounds::follow_phase(const rounds::Round& round) {
  if (!is_worker()) return free_->serve(phase_of(round), round.rule);
  free_->begin(phase_of(round), round.rule);
  free_->leave(0);
}

std::string Rounds::report() {
  server::ShareServer* server = free_ ? free_->server() : nullptr;
  return server != nullptr ? server::to_text(server::report_of(server->ledger())) : "";
}

std::vector<std::string> Rounds::share_reports() {
  require_going_on("a report");
  leave_phase();
  return guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kReport;
    static_cast<void>(agreement_.on(note));
    return share_texts(inside_.wire(), report(), "reporting updates", inside_.deadline());
  });
}

}  // namespace trireme::libtorch
