#include "server/share_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "exec/kernels/kernels.h"
#include "wire/job_wire.h"
#include "wire/or_leave.h"

namespace trireme::server {
namespace {

using Clock = Deadline::Clock;
// A wait ends so much after the deadline that it is for: whoever is late is named by its exchange, with the
// words of its op.
constexpr std::chrono::milliseconds kSlack{50};

}  // namespace

// Any of the exchanges that are under way, or the time at which something must be done.
class ShareServer::SomePush final : public wire::Awaited {
 public:
  SomePush(ShareServer& server, Clock::time_point until) : server_(server), until_(until) {}

  // What was posted meanwhile may be there already, and nobody rings for it again.
  bool arrived() override {
    server_.came_ = server_.look();
    while (!server_.came_ && std::exchange(server_.posted_, false)) {
      server_.wire_.progress();
      server_.came_ = server_.look();
    }
    return server_.came_ || server_.is_over() || Clock::now() >= until_;
  }
  // Preferably of a worker that has left; else of the one that is late first.
  [[nodiscard]] wire::Transfer missing(const wire::Roster& roster) const override {
    const exec::Runner* found = server_.half_under_way(server_.next_due());
    for (Rank worker = 0; worker < server_.workers_; ++worker) {
      const exec::Runner* half = server_.half_under_way(worker);
      if (half != nullptr && roster.has_left(server_.seats_[idx(worker)]->peer())) found = half;
    }
    return found != nullptr ? found->lacks() : wire::Transfer{.peer = server_.wire_.members().job_rank(0)};
  }

 private:
  ShareServer& server_;
  const Clock::time_point until_;
};

ShareServer::ShareServer(wire::Wire& wire, std::vector<std::unique_ptr<Seat>>& seats, ShareWeights& weights,
                         const LedgerSpec& spec, StalenessRate rate, std::chrono::nanoseconds timeout)
    : wire_(wire),
      seats_(seats),
      weights_(weights),
      ledger_(spec),
      rate_(rate),
      workers_(spec.workers),
      timeout_(timeout),
      places_(idx(spec.workers)) {
  for (Place& place : places_) place.has_gradient.resize(weights.parts());
}

void ShareServer::serve(const Phase& phase, const RuleOf& rule) {
  rule_ = &rule;
  ledger_.begin(phase);
  for (Rank worker = 0; worker < workers_; ++worker) await_push(worker);
  while (!is_over()) wait();
  rule_ = nullptr;
}

bool ShareServer::is_over() const {
  return std::ranges::all_of(places_, [](const Place& place) { return place.at == At::kRests; });
}

void ShareServer::await_push(Rank worker) {
  Seat& seat = *seats_[idx(worker)];
  seat.begin(seat.push(), Deadline::after(timeout_));
  places_[idx(worker)].at = At::kAwaitsPush;
  posted_ = true;
}

exec::Runner* ShareServer::half_under_way(Rank worker) const {
  const At at = places_[idx(worker)].at;
  if (at == At::kAwaitsPush) return &seats_[idx(worker)]->push();
  return at == At::kAnswers ? &seats_[idx(worker)]->answer() : nullptr;
}

// Moves all exchanges as far as they go. Returns a worker whose push is there.
std::optional<Rank> ShareServer::look() {
  for (Rank i = 0; i < workers_; ++i) {
    const Rank worker = (turn_ + i) % workers_;
    Place& place = places_[idx(worker)];
    Seat& seat = *seats_[idx(worker)];
    if (place.at == At::kAnswers && seat.answer().look()) {
      place.at = At::kRests;
      if (!place.is_last) await_push(worker);
    }
    if (place.at == At::kAwaitsPush && seat.push().look()) {
      place.at = At::kHolds;
      turn_ = (worker + 1) % workers_;
      return worker;
    }
  }
  return std::nullopt;
}

// Whose exchange has the earliest deadline of those under way.
Rank ShareServer::next_due() const {
  Rank found = 0;
  Clock::time_point earliest = Clock::time_point::max();
  for (Rank worker = 0; worker < workers_; ++worker) {
    const exec::Runner* half = half_under_way(worker);
    if (half == nullptr || !half->deadline() || half->deadline()->end() >= earliest) continue;
    earliest = half->deadline()->end();
    found = worker;
  }
  return found;
}

void ShareServer::wait() {
  exec::Runner* const due = half_under_way(next_due());
  Clock::time_point until = due != nullptr ? due->deadline()->end() : Clock::now() + timeout_;
  for (Rank worker = 0; worker < workers_; ++worker) {
    const bool waits_for_others = places_[idx(worker)].at == At::kHolds && ledger_.has_left(worker);
    if (waits_for_others) until = std::min(until, places_[idx(worker)].since + timeout_ / 4);
  }
  came_.reset();
  SomePush some(*this, until);
  wire::or_leave_during("waiting for pushes", wire_, [&] {
    wire_.job().wait_until(some,
                           Deadline::after(std::max<Clock::duration>(until - Clock::now(), {}) + kSlack));
  });
  if (came_) return take(*came_);
  if (due != nullptr && due->deadline() && due->deadline()->expired()) due->wait();  // which says who is late
  answer_leavers();
}

void ShareServer::take(Rank worker) {
  Seat& seat = *seats_[idx(worker)];
  Place& place = places_[idx(worker)];
  const auto note = seat.note<PushNote>();
  place.is_last = false;
  place.weights_of = -1;
  for (std::size_t part = 0; part < place.has_gradient.size(); ++part) {
    place.has_gradient[part] = seat.has_gradient(part);
  }
  seat.push().require_place();
  wire::or_leave_during(fmt::format("a push of worker {}", worker), wire_, [&] {
    if (note.kind > PushKind::kLeave) throw bad_input("the note of a push says nothing that is known");
    note.kind == PushKind::kLeave ? take_leave(worker, note) : take_gradient(worker, note);
  });
  answer_released();
}

void ShareServer::take_gradient(Rank worker, const PushNote& note) {
  Place& place = places_[idx(worker)];
  const Fate fate = ledger_.push(worker, note);
  place.is_update = fate != Fate::kDuplicate;
  if (place.is_update) planned_ += seats_[idx(worker)]->tally();
  if (fate == Fate::kApply) apply(worker);
  if (fate == Fate::kComplete) apply_round();
}

void ShareServer::take_leave(Rank worker, const PushNote& note) {
  Place& place = places_[idx(worker)];
  place.is_update = false;
  place.since = Clock::now();
  if (ledger_.leave(worker, note) == Fate::kComplete) apply_round();
  answer_leavers();
}

void ShareServer::apply(Rank worker) {
  const Clock::time_point start = Clock::now();
  Place& place = places_[idx(worker)];
  Seat& seat = *seats_[idx(worker)];
  const double rate = seat.note<PushNote>().rate / rate_divisor(rate_, workers_, ledger_.staleness());
  weights_.apply(seat.numbers(), place.has_gradient, rate, *rule_);
  seat.push().require_place();
  ledger_.applied();
  place.weights_of = ledger_.version();
  update_s_ += std::chrono::duration<double>(Clock::now() - start).count();
}

// The average of the round's gradients. A part has a gradient if any of them has.
void ShareServer::apply_round() {
  const Clock::time_point start = Clock::now();
  const std::vector<Rank> round = ledger_.round();
  std::vector<const std::byte*> gradients;
  std::vector<bool> has_gradient(weights_.parts());
  double rate = 0;
  for (const Rank worker : round) {
    Seat& seat = *seats_[idx(worker)];
    gradients.push_back(reinterpret_cast<const std::byte*>(seat.numbers().data()));
    rate = seat.note<PushNote>().rate;  // the same for all of a round
    for (std::size_t i = 0; i < has_gradient.size(); ++i) {
      has_gradient[i] = has_gradient[i] || places_[idx(worker)].has_gradient[i];
    }
  }
  sum_.resize(idx(weights_.share().elements));
  std::byte* const sum = reinterpret_cast<std::byte*>(sum_.data());
  exec::fold(exec::ElementType::kFloat32, exec::Reduction::kAverage, {&sum, 1}, gradients,
             weights_.share().elements, std::ssize(round));
  for (const Rank worker : round) seats_[idx(worker)]->push().require_place();
  weights_.apply(sum_, has_gradient, rate, *rule_);
  ledger_.applied();
  update_s_ += std::chrono::duration<double>(Clock::now() - start).count();
}

void ShareServer::answer_released() {
  for (const Rank worker : ledger_.take_released()) answer(worker, ledger_.answer(worker));
}

// Who has left gets the weights when all have, and is told before its patience ends that others are still at
// work.
void ShareServer::answer_leavers() {
  const Clock::time_point now = Clock::now();
  for (Rank worker = 0; worker < workers_; ++worker) {
    Place& place = places_[idx(worker)];
    if (place.at != At::kHolds || !ledger_.has_left(worker)) continue;
    const bool is_end = ledger_.all_have_left();
    if (!is_end && now < place.since + timeout_ / 4) continue;
    AnswerNote note = ledger_.answer(worker);
    note.kind = is_end ? AnswerKind::kEnd : AnswerKind::kAskAgain;
    place.is_last = is_end;
    answer(worker, note);
  }
}

void ShareServer::answer(Rank worker, AnswerNote note) {
  Place& place = places_[idx(worker)];
  Seat& seat = *seats_[idx(worker)];
  const bool has_newest = place.weights_of == ledger_.version();
  if (note.kind != AnswerKind::kAskAgain) {
    weights_.copy_to(seat.numbers(), has_newest ? place.has_gradient : std::vector<bool>());
  }
  seat.set_note(note);
  if (!place.is_update) others_ += seat.tally();
  place.at = At::kAnswers;
  seat.begin(seat.answer(), Deadline::after(timeout_));
}

wire::Counters ShareServer::counted() const {
  wire::Counters all;
  for (const auto& seat : seats_) {
    if (seat) all += seat->counted();
  }
  all -= others_;
  return all;
}

wire::Counters ShareServer::planned() const { return planned_; }

}  // namespace trireme::server
