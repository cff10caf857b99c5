// Rank 0 in a meeting: collects who comes, tells all about all, and lets them go when everybody is connected.
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
  /// `place`: as it is called in errors; `has_ended`: as of `MeetingPlace`.
  Server(const Self& self, Fd listener, std::string place, std::vector<std::byte> card,
         std::function<bool(Rank)> has_ended);

  /// Throws `Error`, after all who have come were told the same.
  [[nodiscard]] Met meet(const Deadline& deadline);

 private:
  struct Seat {
    Conversation talk;
    Origin origin;
    std::optional<Entry> entry;
    bool is_linked = false;
    std::optional<Rank> waits_for;  // the node that it cannot connect with, as it has said last
  };

  void run(const Deadline& deadline);
  void wait(const Deadline& deadline);
  void receive(Visitor visitor);
  void hear(Rank rank);
  void take(Rank rank, const Message& letter);
  void tell_all(const Message& letter);
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

/// Throws `Error` when a node has given an address that leads another one back to itself: `is_local` says, by
/// rank, who is on rank 0's host.
void require_reachable(const std::vector<Address>& addresses, const std::vector<bool>& is_local);

}  // namespace trireme::wire::rendezvous
