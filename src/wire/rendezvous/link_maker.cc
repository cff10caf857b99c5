#include "wire/rendezvous/link_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/roster/rank_list.h"

namespace trireme::wire::rendezvous {
namespace {

Failure mismatch(std::string what, std::string hint) {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = std::move(what);
  failure.hint = std::move(hint);
  return failure;
}

// Empty if they agree.
std::optional<Failure> difference(const Self& self, const Hello& hello) {
  if (hello.version != self.version) {
    return mismatch(fmt::format("rank {} speaks version {} of the protocol, rank {} version {}", hello.from,
                                hello.version, self.rank, self.version),
                    "start the same build of the program everywhere");
  }
  if (hello.size != self.size) {
    return mismatch(fmt::format("rank {} was told that the job has {} nodes, rank {} that it has {}",
                                hello.from, hello.size, self.rank, self.size),
                    "give all nodes of the job the same size");
  }
  return std::nullopt;
}

}  // namespace

void refuse(Visitor& visitor, const Failure& why) { visitor.talk.say(make_refusal(why)); }

void require_same_job(const Self& self, Visitor& visitor) {
  std::optional<Failure> failure = difference(self, visitor.hello);
  if (!failure) return;
  failure->culprit = visitor.hello.from;
  refuse(visitor, *failure);
  failure->rank = self.rank;
  failure->peer = visitor.hello.from;
  throw Error(std::move(*failure));
}

LinkMaker::LinkMaker(const Self& self, Fd listener)
    : self_(self), door_(std::move(listener), self, Acceptor::Limits{}), links_(idx(self.size)) {}

void LinkMaker::call(const std::vector<Address>& by_rank) {
  callers_.reserve(2 * idx(self_.rank));
  for (Rank peer = 0; peer < self_.rank; ++peer) {
    for (const Hello::Kind kind : {Hello::Kind::kData, Hello::Kind::kControl}) {
      callers_.emplace_back(self_, kind, peer, by_rank[idx(peer)]);
    }
  }
}

void LinkMaker::watch(PollSet& set) const {
  door_.watch(set);
  for (const Connector& caller : callers_) caller.watch(set);
}

std::vector<Visitor> LinkMaker::move(const PollSet& set) {
  for (Connector& caller : callers_) {
    if (caller.is_connected()) continue;
    caller.move(set);
    if (caller.is_connected()) keep(caller.kind(), caller.to(), caller.take().release());
  }
  std::vector<Visitor> for_meeting;
  for (Visitor& visitor : door_.move(set)) {
    require_same_job(self_, visitor);
    if (visitor.hello.kind == Hello::Kind::kMeet) {
      for_meeting.push_back(std::move(visitor));
    } else {
      let_in(std::move(visitor));
    }
  }
  return for_meeting;
}

void LinkMaker::let_in(Visitor visitor) {
  const Hello& hello = visitor.hello;
  if (hello.to != self_.rank || hello.from <= self_.rank) {
    return refuse(visitor, mismatch(fmt::format("rank {} seeks rank {}, but this is rank {}", hello.from,
                                                hello.to, self_.rank),
                                    "look whether two jobs with the same secret run at once"));
  }
  visitor.talk.say(Message{Message::Kind::kWelcome, {}});
  // If a node comes again, its first connection was lost.
  if (visitor.talk.has_said_all() && !visitor.talk.is_over()) {
    keep(hello.kind, hello.from, visitor.talk.release());
  }
}

void LinkMaker::keep(Hello::Kind kind, Rank peer, Fd socket) {
  Link& link = links_[idx(peer)];
  (kind == Hello::Kind::kData ? link.data : link.control) = std::move(socket);
}

std::vector<Rank> LinkMaker::missing() const {
  std::vector<Rank> ranks;
  for (Rank peer = 0; peer < self_.size; ++peer) {
    const Link& link = links_[idx(peer)];
    if (peer != self_.rank && (!link.data || !link.control)) ranks.push_back(peer);
  }
  return ranks;
}

Failure LinkMaker::late() const {
  const std::vector<Rank> ranks = missing();
  const auto caller =
      std::ranges::find_if(callers_, [](const Connector& one) { return !one.is_connected(); });
  Failure failure;
  failure.cause = Failure::Cause::kTimeout;
  failure.what = fmt::format("all have come, but this node is not connected with {}", name_ranks(ranks));
  if (caller != callers_.end()) failure.what += fmt::format(": {}", caller->whereabouts());
  failure.rank = self_.rank;
  failure.peer = failure.culprit = ranks.front();
  failure.hint = "look whether a firewall lets nodes reach each other at any port";
  return failure;
}

}  // namespace trireme::wire::rendezvous
