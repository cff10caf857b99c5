#include "wire/attendee.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace trireme {

Attendee::Attendee(const Self& self, Fd listener, Address own, Address rank_0, std::vector<std::byte> card)
    : self_(self),
      rank_0_(std::move(rank_0)),
      links_(self, std::move(listener)),
      entry_{std::move(own), std::move(card)},
      to_rank_0_(self, Hello::Kind::kMeet, 0, rank_0_) {}

Met Attendee::meet(const Deadline& deadline) {
  try {
    run(deadline);
  } catch (const Error& error) {
    if (talk_ && !was_told_) say_goodbye(std::array{&*talk_}, make_refusal(error.failure()));
    throw;
  }
  Met met;
  for (Entry& entry : table_) met.cards.push_back(std::move(entry.card));
  met.links = links_.take();
  return met;
}

void Attendee::run(const Deadline& deadline) {
  while (!may_go_) {
    if (deadline.expired()) throw late(deadline);
    wait(deadline);
    if (!table_.empty() && !has_said_linked_ && links_.is_complete()) {
      talk_->say(Letter{Letter::Kind::kLinked, {}});
      has_said_linked_ = true;
    }
  }
}

void Attendee::wait(const Deadline& deadline) {
  PollSet set;
  links_.watch(set);
  talk_ ? talk_->watch(set) : to_rank_0_.watch(set);
  set.wait(deadline);
  for (Visitor& visitor : links_.move(set)) refuse_to_convene(std::move(visitor));
  if (talk_) {
    if (talk_->is_ready(set)) hear();
    return;
  }
  to_rank_0_.move(set);
  if (to_rank_0_.is_connected()) {
    talk_ = to_rank_0_.take();
    talk_->say(make_card(entry_));
  }
}

void Attendee::hear() {
  talk_->move();
  while (const std::optional<Letter> letter = talk_->hear_letter(self_.size)) take(*letter);
  if (talk_->is_over() && !may_go_) {
    was_told_ = true;  // nobody is left to be told
    throw Error(failure_of(Failure::Cause::kPeerLost, "rank 0 has left the meeting before its end",
                           "see what rank 0 has printed last"));
  }
}

void Attendee::take(const Letter& letter) {
  switch (letter.kind) {
    case Letter::Kind::kAbsent:
      absent_ = parse_absent(letter.body);
      break;
    case Letter::Kind::kTable:
      begin_linking(letter);
      break;
    case Letter::Kind::kGo:
      may_go_ = true;
      break;
    case Letter::Kind::kRefusal: {
      was_told_ = true;
      Failure failure = parse_refusal(letter.body).value_or(Failure{});
      failure.rank = self_.rank;
      failure.peer = failure.culprit;
      throw Error(std::move(failure));
    }
    default:
      break;
  }
}

void Attendee::begin_linking(const Letter& table) {
  std::optional<std::vector<Entry>> entries = parse_table(table.body, self_.size);
  if (!entries || !table_.empty()) {
    throw Error(failure_of(Failure::Cause::kMismatch, "rank 0 tells what is not understood",
                           "start the same build of the program everywhere"));
  }
  table_ = std::move(*entries);
  std::vector<Address> addresses{rank_0_};
  for (std::size_t rank = 1; rank < table_.size(); ++rank) addresses.push_back(table_[rank].address);
  links_.call(addresses);
}

void Attendee::refuse_to_convene(Visitor visitor) const {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = fmt::format("rank {} seeks rank 0, but this is rank {}", visitor.hello.from, self_.rank);
  failure.hint = "give all nodes the address of rank 0";
  refuse(visitor, failure);
}

Error Attendee::late(const Deadline& deadline) const {
  if (!table_.empty() && !links_.is_complete()) return links_.late(deadline);
  std::string what = "rank 0 has not said whether all others are connected";
  if (!talk_) {
    what = fmt::format("rank 0 has not been found: {}", to_rank_0_.whereabouts());
  } else if (table_.empty()) {
    what = absent_.empty() ? fmt::format("rank 0 at {} has not said who takes part", to_string(rank_0_))
                           : absent_;
  }
  Failure failure =
      failure_of(Failure::Cause::kTimeout, what,
                 talk_ ? "see what the others have printed" : "start rank 0, or look at its address");
  failure.elapsed = deadline.elapsed();
  return Error(std::move(failure));
}

Failure Attendee::failure_of(Failure::Cause cause, std::string what, std::string hint) const {
  Failure failure;
  failure.cause = cause;
  failure.what = std::move(what);
  failure.rank = self_.rank;
  failure.peer = 0;
  failure.hint = std::move(hint);
  return failure;
}

}  // namespace trireme
