// Any node but rank 0 in a meeting: connects to rank 0, learns about all nodes, and connects to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "wire/rendezvous/connector.h"
#include "wire/rendezvous/conversation.h"
#include "wire/rendezvous/link_maker.h"
#include "wire/rendezvous/message.h"
#include "wire/rendezvous/rendezvous.h"

namespace trireme::wire::rendezvous {

class Client {
 public:
  /// `own` is the address of this node's `listener`.
  Client(const Self& self, Fd listener, Address own, MeetingPlace place, std::vector<std::byte> card);

  /// Throws `Error`, after it has told rank 0, which tells the others.
  [[nodiscard]] Met meet(const Deadline& deadline);

 private:
  void run(const Deadline& deadline);
  [[nodiscard]] bool waits_for_last_word(const Deadline& deadline) const;
  void wait(const Deadline& deadline);
  void hear();
  void take(const Message& message);
  void begin_linking(const Message& table);
  void refuse_to_convene(Visitor visitor) const;
  void tell_who_is_missing();
  void look_whether_rank_0_is_there() const;
  [[nodiscard]] Failure late(const Deadline& deadline) const;
  [[nodiscard]] Failure failure_of(Failure::Cause cause, std::string what, std::string hint) const;

  const Self self_;
  const Address rank_0_;
  const std::function<bool(Rank)> has_ended_;
  const std::function<bool()> has_moved_;
  LinkMaker links_;
  Entry entry_;
  Connector to_rank_0_;
  std::optional<Conversation> talk_;  // with rank 0, once it has let this node in
  std::optional<Failure> absent_;     // the nodes that rank 0 waits for, according to its last message
  Deadline::Clock::time_point heard_last_{};  // when that message came
  Deadline::Clock::time_point next_news_{};   // from this node to rank 0
  std::vector<Entry> table_;                  // empty until rank 0 has sent it
  bool has_said_linked_ = false;
  bool may_go_ = false;
  bool was_told_ = false;  // rank 0 need not be told of the failure
};

}  // namespace trireme::wire::rendezvous
