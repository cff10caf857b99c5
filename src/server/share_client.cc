#include "server/share_client.h"

#include <algorithm>

namespace trireme::server {

ShareClient::ShareClient(std::vector<std::unique_ptr<Seat>>& seats, const Placement& placement, Rank worker,
                         Rank workers, std::chrono::nanoseconds timeout)
    : seats_(seats),
      placement_(placement),
      worker_(worker),
      workers_(workers),
      timeout_(timeout),
      rounds_(seats.size()) {}

std::int64_t ShareClient::begin(const Phase& phase) {
  rounds_.assign(rounds_.size(), phase.first / workers_);
  return phase.begin_of(worker_);
}

AnswerNote ShareClient::push(const Gradient& gradient) {
  last_ = {.kind = PushKind::kGradient,
           .wishes = gradient.wishes,
           .sequence = last_.sequence + 1,
           .gradient = gradient.number,
           .rate = gradient.rate,
           .loss = gradient.loss};
  planned_ += tally();
  return exchange();
}

AnswerNote ShareClient::push_again() {
  others_ += tally();
  return exchange();
}

AnswerNote ShareClient::leave(std::uint8_t wishes) {
  last_ = {.kind = PushKind::kLeave, .wishes = wishes, .sequence = last_.sequence};
  AnswerNote answer;
  // Each server is asked again until all have left it; those that have said so are not.
  std::vector<bool> is_done(seats_.size());
  for (std::size_t server = 0; server < seats_.size(); ++server) is_done[server] = !has_share(server);
  while (!std::ranges::all_of(is_done, [](bool done) { return done; })) {
    for (std::size_t server = 0; server < seats_.size(); ++server) {
      if (!is_done[server]) others_ += seats_[server]->tally();
    }
    for_each_answer(is_done, [&](std::size_t server, const AnswerNote& note) {
      is_done[server] = note.kind == AnswerKind::kEnd;
      if (server == idx(placement_.dispenser)) answer = note;
    });
  }
  return answer;
}

AnswerNote ShareClient::exchange() {
  AnswerNote answer;
  for_each_answer(std::vector<bool>(seats_.size()), [&](std::size_t server, const AnswerNote& note) {
    if (server == idx(placement_.dispenser)) answer = note;
  });
  return answer;
}

// All pushes are under way at once, and then all answers.
template <typename Take>
void ShareClient::for_each_answer(const std::vector<bool>& left_out, Take take) {
  const auto for_each = [&](auto act) {
    for (std::size_t server = 0; server < seats_.size(); ++server) {
      if (has_share(server) && !left_out[server]) act(server, *seats_[server]);
    }
  };
  const Deadline deadline = Deadline::after(timeout_);
  for_each([&](std::size_t server, Seat& seat) {
    last_.round = rounds_[server];
    seat.set_note(last_);
    seat.begin(seat.push(), deadline);
  });
  for_each([&](std::size_t /*server*/, Seat& seat) {
    seat.push().wait();
    seat.begin(seat.answer(), deadline);
  });
  std::vector<AnswerNote> answers(seats_.size());
  for_each([&](std::size_t server, Seat& seat) {
    seat.answer().wait();
    answers[server] = seat.note<AnswerNote>();
    rounds_[server] = answers[server].round;
  });
  for_each([&](std::size_t server, Seat& /*seat*/) { take(server, answers[server]); });
}

wire::Counters ShareClient::tally() const {
  wire::Counters all;
  for (const auto& seat : seats_) {
    if (seat) all += seat->tally();
  }
  return all;
}

wire::Counters ShareClient::counted() const {
  wire::Counters all;
  for (const auto& seat : seats_) {
    if (seat) all += seat->counted();
  }
  all -= others_;
  return all;
}

}  // namespace trireme::server
