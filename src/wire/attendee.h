// Any node but rank 0 in a meeting: goes to rank 0, hears about all, and connects with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "wire/caller.h"
#include "wire/conversation.h"
#include "wire/letter.h"
#include "wire/link_maker.h"
#include "wire/meeting.h"

namespace trireme {

class Attendee {
 public:
  /// `rank_0`: where rank 0 is; `own`: where this node's `listener` is.
  Attendee(const Self& self, Fd listener, Address own, Address rank_0, std::vector<std::byte> card);

  /// Throws `Error`, after rank 0 was told the same, who tells the others.
  [[nodiscard]] Met meet(const Deadline& deadline);

 private:
  void run(const Deadline& deadline);
  void wait(const Deadline& deadline);
  void hear();
  void take(const Letter& letter);
  void begin_linking(const Letter& table);
  void refuse_to_convene(Visitor visitor) const;
  [[nodiscard]] Error late(const Deadline& deadline) const;
  [[nodiscard]] Failure failure_of(Failure::Cause cause, std::string what, std::string hint) const;

  const Self self_;
  const Address rank_0_;
  LinkMaker links_;
  Entry entry_;
  Caller to_rank_0_;
  std::optional<Conversation> talk_;  // with rank 0, once it has let this node in
  std::string absent_;                // as rank 0 has said it last
  std::vector<Entry> table_;          // empty until rank 0 has told it
  bool has_said_linked_ = false;
  bool may_go_ = false;
  bool was_told_ = false;  // of the failure, by rank 0
};

}  // namespace trireme
