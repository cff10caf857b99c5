#include "wire/rendezvous/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "wire/roster/rank_list.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;

constexpr auto kNewsEvery = 250ms;
constexpr auto kLookEvery = 100ms;

Failure failure_of(Failure::Cause cause, Rank culprit, std::string what, std::string hint) {
  Failure failure;
  failure.cause = cause;
  failure.what = std::move(what);
  failure.rank = 0;
  failure.peer = culprit;
  failure.culprit = culprit;
  failure.hint = std::move(hint);
  return failure;
}

Error lost(Rank rank) {
  return Error(failure_of(Failure::Cause::kPeerLost, rank,
                          fmt::format("rank {} came to the meeting and left it before the end", rank),
                          "see what that node has printed last"));
}

Error ended(Rank rank, const std::string& place) {
  return Error(failure_of(Failure::Cause::kPeerLost, rank,
                          fmt::format("rank {} has ended before it came to {}", rank, place),
                          "let every node of the job call join"));
}

Error failed_elsewhere(Rank rank, const Failure& told) {
  return Error(failure_of(told.cause, told.culprit.value_or(rank),
                          fmt::format("{} (says rank {})", told.what, rank), told.hint));
}

Error not_understood(Rank rank) {
  return Error(failure_of(Failure::Cause::kMismatch, rank,
                          fmt::format("rank {} sent an unknown message", rank),
                          "start the same build of the program everywhere"));
}

Failure taken(Rank rank, const Origin& origin) {
  return failure_of(Failure::Cause::kMismatch, rank,
                    fmt::format("there is a rank {} already, at {}", rank, origin.host),
                    "give each node of the job a rank of its own");
}

}  // namespace

void require_reachable(const std::vector<Address>& addresses, const std::vector<bool>& is_local) {
  const auto remote = std::ranges::find(is_local, false);
  if (remote == is_local.end()) return;
  for (std::size_t rank = 1; rank < addresses.size(); ++rank) {
    if (!is_loopback(addresses[rank].host)) continue;
    throw Error(failure_of(
        Failure::Cause::kMismatch, static_cast<Rank>(rank),
        fmt::format("rank {} can be reached at {} only, which is not seen from rank {} on another host", rank,
                    addresses[rank].host, remote - is_local.begin()),
        "give all nodes an address of rank 0 that other hosts see, not localhost"));
  }
}

Server::Server(const Self& self, Fd listener, std::string place, std::vector<std::byte> card,
               std::function<bool(Rank)> has_ended)
    : self_(self),
      place_(std::move(place)),
      has_ended_(std::move(has_ended)),
      links_(self, std::move(listener)),
      seats_(idx(self.size)) {
  seats_[0] = Seat{{}, {"this host", true}, Entry{{}, std::move(card)}, true, std::nullopt};
}

Met Server::meet(const Deadline& deadline) {
  try {
    run(deadline);
  } catch (const Error& error) {
    std::vector<Conversation*> all;
    for (Rank rank = 1; rank < self_.size; ++rank) {
      if (seats_[idx(rank)]) all.push_back(&seats_[idx(rank)]->talk);
    }
    say_goodbye(all, make_refusal(error.failure()));
    throw;
  }
  Met met;
  for (const auto& seat : seats_) met.cards.push_back(seat->entry->card);
  met.links = links_.take();
  return met;
}

void Server::run(const Deadline& deadline) {
  while (!all_are_linked() || !links_.is_complete()) {
    if (deadline.expired()) {
      Failure failure = late();
      failure.elapsed = deadline.elapsed();
      throw Error(std::move(failure));
    }
    wait(deadline);
    look_for_the_ended();
    if (!table_is_told_ && all_have_come()) {
      require_reachable();
      std::vector<Entry> entries;
      for (const auto& seat : seats_) entries.push_back(*seat->entry);
      tell_all(make_table(entries));
      table_is_told_ = true;
    }
    tell_who_is_absent();
  }
  tell_all({Message::Kind::kGo, {}});
}

void Server::wait(const Deadline& deadline) {
  PollSet set;
  links_.watch(set);
  for (Rank rank = 1; rank < self_.size; ++rank) {
    if (seats_[idx(rank)]) seats_[idx(rank)]->talk.watch(set);
  }
  set.wake_at(next_news_);
  if (has_ended_) set.wake_at(Deadline::Clock::now() + kLookEvery);
  set.wait(deadline);
  for (Visitor& visitor : links_.move(set)) receive(std::move(visitor));
  for (Rank rank = 1; rank < self_.size; ++rank) {
    if (seats_[idx(rank)] && seats_[idx(rank)]->talk.is_ready(set)) hear(rank);
  }
}

void Server::receive(Visitor visitor) {
  const Rank rank = visitor.hello.from;
  std::optional<Seat>& seat = seats_[idx(rank)];
  if (seat) return refuse(visitor, taken(rank, seat->origin));
  visitor.talk.say(Message{Message::Kind::kWelcome, {}});
  seat = Seat{std::move(visitor.talk), std::move(visitor.origin), std::nullopt, false, std::nullopt};
}

void Server::hear(Rank rank) {
  Seat& seat = *seats_[idx(rank)];
  seat.talk.move();
  while (const std::optional<Message> message = seat.talk.hear_message(self_.size)) take(rank, *message);
  if (seat.talk.is_over()) throw lost(rank);
}

void Server::take(Rank rank, const Message& message) {
  Seat& seat = *seats_[idx(rank)];
  if (message.kind == Message::Kind::kRefusal) {
    throw failed_elsewhere(rank, parse_failure(message.body).value_or(Failure{}));
  }
  if (message.kind == Message::Kind::kCard && !seat.entry) {
    seat.entry = parse_card(message.body);
    if (!seat.entry) throw not_understood(rank);
  } else if (message.kind == Message::Kind::kLinked && table_is_told_) {
    seat.is_linked = true;
  } else if (message.kind == Message::Kind::kAbsent && table_is_told_) {
    seat.waits_for = parse_failure(message.body).value_or(Failure{}).culprit;
  } else {
    throw not_understood(rank);
  }
}

void Server::tell_all(const Message& message) {
  for (Rank rank = 1; rank < self_.size; ++rank) {
    if (seats_[idx(rank)]) seats_[idx(rank)]->talk.say(message);
  }
}

// So that a node whose deadline is earlier than this one's can report it too, and knows that rank 0 is alive.
void Server::tell_who_is_absent() {
  const auto now = Deadline::Clock::now();
  if (now < next_news_ || (all_are_linked() && links_.is_complete())) return;
  next_news_ = now + kNewsEvery;
  tell_all(make_absent(late()));
}

// If a node that has come ends, the end of its connection reports that instead.
void Server::look_for_the_ended() const {
  if (!has_ended_) return;
  for (Rank rank = 1; rank < self_.size; ++rank) {
    if (!seats_[idx(rank)] && has_ended_(rank)) throw ended(rank, place_);
  }
}

void Server::require_reachable() const {
  std::vector<Address> addresses;
  std::vector<bool> is_local;
  for (const auto& seat : seats_) {
    addresses.push_back(seat->entry->address);
    is_local.push_back(seat->origin.is_local);
  }
  rendezvous::require_reachable(addresses, is_local);
}

std::vector<Rank> Server::ranks_with(bool entry) const {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < self_.size; ++rank) {
    const auto& seat = seats_[idx(rank)];
    if ((seat && seat->entry) == entry) ranks.push_back(rank);
  }
  return ranks;
}

bool Server::all_are_linked() const {
  return std::ranges::all_of(seats_, [](const auto& seat) { return seat && seat->is_linked; });
}

// Among the nodes that are not connected with all others, most wait for the one that does not answer.
Rank Server::most_awaited(const std::vector<Rank>& waiting) const {
  std::vector<int> awaited(idx(self_.size));
  for (const Rank rank : waiting) {
    const std::optional<Rank> peer = seats_[idx(rank)]->waits_for;
    if (peer && *peer >= 0 && *peer < self_.size) ++awaited[idx(*peer)];
  }
  const auto most = std::ranges::max_element(awaited);
  return *most > 0 ? static_cast<Rank>(most - awaited.begin()) : waiting.front();
}

// Why the meeting fails if its deadline passes now.
Failure Server::late() const {
  if (!table_is_told_) {
    const std::vector<Rank> absent = ranks_with(false);
    const std::vector<Rank> present = ranks_with(true);
    Failure failure = failure_of(
        Failure::Cause::kTimeout, absent.front(),
        fmt::format("{} {} not come to {}; {} {}", name_ranks(absent), absent.size() == 1 ? "has" : "have",
                    place_, list_ranks(present), present.size() == 1 ? "has" : "have"),
        "start those that were not started, and see what the others have printed");
    if (const auto& host = links_.door().wrong_secret_at()) {
      failure.hint = fmt::format("a process at {} used another secret: give all nodes the same", *host);
    }
    return failure;
  }
  if (!links_.is_complete()) return links_.late();
  std::vector<Rank> waiting;
  for (Rank rank = 0; rank < self_.size; ++rank) {
    if (!seats_[idx(rank)]->is_linked) waiting.push_back(rank);
  }
  return failure_of(Failure::Cause::kTimeout, most_awaited(waiting),
                    fmt::format("all have come, but {} {} not connected with all others", name_ranks(waiting),
                                waiting.size() == 1 ? "is" : "are"),
                    "look whether a firewall lets nodes reach each other at any port");
}

}  // namespace trireme::wire::rendezvous
