// Rank 0 in a meeting: collects the nodes that come, tells all about all, and ends the meeting when all are
// connected.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "wire/rendezvous/conversation.h"
#include "wire/rendezvous/link_maker.h"
#include "wire/rendezvous/message.h"
#include "wire/rendezvous/rendezvous.h"

namespace trireme::wire::rendezvous {

class Server {
 public:
  /// `place` is the address as named in errors; `has_ended` is as in `MeetingPlace`.
  Server(const Self& self, Fd listener, std::string place, std::vector<std::byte> card,
         std::function<bool(Rank)> has_ended);

  /// Throws `Error`, after it has told all nodes that have come.
  [[nodiscard]] Met meet(const Deadline& deadline);

 private:
  struct Seat {
    Conversation talk;
    Origin origin;
    std::optional<Entry> entry;
    bool is_linked = false;
    std::optional<Rank> waits_for;  // the node to which it cannot connect, according to its last message
  };

  void run(const Deadline& deadline);
  void wait(const Deadline& deadline);
  void receive(Visitor visitor);
  void hear(Rank rank);
  void take(Rank rank, const Message& message);
  void tell_all(const Message& message);
  void tell_who_is_absent();
  void look_for_the_ended() const;
  void require_reachable() const;
  [[nodiscard]] std::vector<Rank> ranks_with(bool entry) const;
  [[nodiscard]] bool all_have_come() const { return ranks_with(false).empty(); }
  [[nodiscard]] bool all_are_linked() const;
  [[nodiscard]] Rank most_awaited(const std::vector<Rank>& waiting) const;
  [[nodiscard]] Failure late() const;

  const Self self_;
  const std::string place_;
  const std::function<bool(Rank)> has_ended_;
  LinkMaker links_;
  std::vector<std::optional<Seat>> seats_;  // by rank; this node's own has no conversation
  bool table_is_told_ = false;
  Deadline::Clock::time_point next_news_ = Deadline::Clock::now();
};

/// Throws `Error` if a node has given an address that leads another node back to itself. `is_local` tells, by
/// rank, which nodes are on rank 0's host.
void require_reachable(const std::vector<Address>& addresses, const std::vector<bool>& is_local);

}  // namespace trireme::wire::rendezvous
