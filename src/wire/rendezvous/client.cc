#include "wire/rendezvous/client.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

// How long after the deadline rank 0 may still report who is missing. It sends much more often.
constexpr Clock::duration kLastWord = 1s;
constexpr Clock::duration kNewsEvery = 250ms;
constexpr Clock::duration kLookEvery = 100ms;

}  // namespace

Client::Client(const Self& self, Fd listener, Address own, MeetingPlace place, std::vector<std::byte> card)
    : self_(self),
      rank_0_(std::move(place.address)),
      has_ended_(std::move(place.has_ended)),
      has_moved_(std::move(place.has_moved)),
      links_(self, std::move(listener)),
      entry_{std::move(own), std::move(card)},
      to_rank_0_(self, Hello::Kind::kMeet, 0, rank_0_) {}

Met Client::meet(const Deadline& deadline) {
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

void Client::run(const Deadline& deadline) {
  while (!may_go_) {
    if (deadline.expired() && !waits_for_last_word(deadline)) throw Error(late(deadline));
    wait(deadline);
    look_whether_rank_0_is_there();
    tell_who_is_missing();
    if (!table_.empty() && !has_said_linked_ && links_.is_complete()) {
      talk_->say(Message{Message::Kind::kLinked, {}});
      has_said_linked_ = true;
    }
  }
}

// Rank 0 knows who is missing; if it no longer sends, it is the missing one itself.
bool Client::waits_for_last_word(const Deadline& deadline) const {
  const bool only_rank_0_knows = talk_ && (table_.empty() || links_.is_complete());
  return only_rank_0_knows && heard_last_ < deadline.end() && Clock::now() - deadline.end() < kLastWord;
}

void Client::wait(const Deadline& deadline) {
  PollSet set;
  links_.watch(set);
  talk_ ? talk_->watch(set) : to_rank_0_.watch(set);
  if (!table_.empty() && !links_.is_complete()) set.wake_at(next_news_);
  if (has_ended_ || has_moved_) set.wake_at(Clock::now() + kLookEvery);
  set.wait(deadline.expired() ? Deadline::after(kLookEvery) : deadline);
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

void Client::hear() {
  talk_->move();
  while (const std::optional<Message> message = talk_->hear_message(self_.size)) take(*message);
  if (talk_->is_over() && !may_go_) {
    was_told_ = true;  // rank 0 is gone and cannot be told
    throw Error(failure_of(Failure::Cause::kPeerLost, "rank 0 has left the meeting before its end",
                           "see what rank 0 has printed last"));
  }
}

void Client::take(const Message& message) {
  switch (message.kind) {
    case Message::Kind::kAbsent:
      absent_ = parse_failure(message.body);
      heard_last_ = Clock::now();
      break;
    case Message::Kind::kTable:
      begin_linking(message);
      break;
    case Message::Kind::kGo:
      may_go_ = true;
      break;
    case Message::Kind::kRefusal: {
      was_told_ = true;
      Failure failure = parse_failure(message.body).value_or(Failure{});
      failure.rank = self_.rank;
      failure.peer = failure.culprit;
      throw Error(std::move(failure));
    }
    default:
      break;
  }
}

void Client::begin_linking(const Message& table) {
  std::optional<std::vector<Entry>> entries = parse_table(table.body, self_.size);
  if (!entries || !table_.empty()) {
    throw Error(failure_of(Failure::Cause::kMismatch, "rank 0 sent an unknown message",
                           "start the same build of the program everywhere"));
  }
  table_ = std::move(*entries);
  absent_.reset();
  next_news_ = Clock::now() + kNewsEvery;
  std::vector<Address> addresses{rank_0_};
  for (std::size_t rank = 1; rank < table_.size(); ++rank) addresses.push_back(table_[rank].address);
  links_.call(addresses);
}

void Client::refuse_to_convene(Visitor visitor) const {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = fmt::format("rank {} seeks rank 0, but this is rank {}", visitor.hello.from, self_.rank);
  failure.hint = "give all nodes the address of rank 0";
  refuse(visitor, failure);
}

// So that rank 0 can tell who keeps the others waiting.
void Client::tell_who_is_missing() {
  if (table_.empty() || links_.is_complete() || Clock::now() < next_news_) return;
  next_news_ = Clock::now() + kNewsEvery;
  talk_->say(make_absent(links_.late()));
}

// If rank 0 has let this node in, the end of the connection reports its end instead.
void Client::look_whether_rank_0_is_there() const {
  if (talk_) return;
  if (has_ended_ && has_ended_(0)) {
    throw Error(failure_of(Failure::Cause::kPeerLost, "rank 0 has ended before it met the others",
                           "let every node of the job call join"));
  }
  if (has_moved_ && has_moved_()) {
    throw Error(failure_of(Failure::Cause::kMismatch,
                           fmt::format("rank 0 no longer listens at {}", to_string(rank_0_)),
                           "look again where it is"));
  }
}

Failure Client::late(const Deadline& deadline) const {
  Failure failure = failure_of(
      Failure::Cause::kTimeout, "rank 0 has not said whether all others are connected",
      "find out why rank 0 is late, or give it longer: --timeout, TRIREME_TIMEOUT, JoinOptions::timeout");
  if (!table_.empty() && !links_.is_complete()) {
    failure = links_.late();
  } else if (!talk_) {
    failure.what = fmt::format("rank 0 has not been found: {}", to_rank_0_.whereabouts());
    failure.hint = "start rank 0, or look at its address";
  } else if (absent_ && heard_last_ >= deadline.end()) {
    failure = *absent_;
    failure.rank = self_.rank;
    failure.peer = failure.culprit;
  } else if (table_.empty()) {
    failure.what = fmt::format("rank 0 at {} has not said who takes part", to_string(rank_0_));
  }
  failure.elapsed = deadline.elapsed();
  return failure;
}

Failure Client::failure_of(Failure::Cause cause, std::string what, std::string hint) const {
  Failure failure;
  failure.cause = cause;
  failure.what = std::move(what);
  failure.rank = self_.rank;
  failure.peer = failure.culprit = 0;
  failure.hint = std::move(hint);
  return failure;
}

}  // namespace trireme::wire::rendezvous
