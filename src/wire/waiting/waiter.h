// How a node waits on any wire that can wake it up: it looks, gives way to others, and sleeps; and when it
// gives up, with which reason.
#pragma once

#include "base/deadline.h"
#include "base/types.h"
#include "wire/awaited.h"
#include "wire/meanwhile.h"
#include "wire/roster/roster.h"
#include "wire/transfer.h"
#include "wire/waiting/contention.h"

namespace trireme::wire {

/// How often a node looks before it sleeps.
struct Looks {
  int eager = 0;      ///< at first, without asking for the time: most waits end there
  int least = 0;      ///< in all, after many waits in vain
  int most = 0;       ///< in all, before it gives way
  int contended = 0;  ///< in all, while other processes want this core
  int yields = 0;  ///< then it gives way so often, for 20 ms at most, unless other processes want this core
};

/// Whether a node is there, as far as another knows.
enum class Presence {
  kHere,
  kLeaving,  ///< it seems to go; what it says last may still be under way
  kGone,     ///< nothing more comes from it than what has arrived
};

/// One node's way to wait. A wire derives from it and says how it sleeps and what it knows of the others. Not
/// thread-safe: it belongs to one node.
class Waiter {
 public:
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// Returns when it has arrived. Throws `Error` when the deadline passes, when a node that is missing is
  /// gone, or, half a second after some other node has failed, when what is missing still is.
  void wait_for(Awaited& awaited, const Deadline& deadline);
  /// From now on it moves on in every wait; null: nothing does.
  void set_meanwhile(Meanwhile* meanwhile) { meanwhile_ = meanwhile; }
  /// Throws likewise, without waiting, when a node that is missing is gone.
  void require_present(Awaited& awaited);

 protected:
  using Clock = Deadline::Clock;
  static constexpr Rank kNobody = -1;

  /// `crowded`: there are more nodes than cores on this host. The others are told for whom this node waits
  /// once that has taken as long as `tell_after`.
  Waiter(Rank rank, const Roster& roster, bool crowded, const Looks& looks, Clock::duration tell_after);
  ~Waiter() = default;

  void set_looks(bool crowded, const Looks& looks);

  /// The first looks were in vain.
  virtual void on_first_looks_in_vain() {}
  /// From here to `disarm`, whatever changes for this node ends its sleep at once.
  virtual void arm() {}
  virtual void disarm() noexcept {}
  [[nodiscard]] virtual Presence presence(Rank peer) = 0;
  /// Tells the others for whom this node waits; kNobody: for nobody any more.
  virtual void tell_waits_for(Rank peer) = 0;
  /// May return earlier.
  virtual void sleep(Clock::time_point until) = 0;

 private:
  class Armed;

  void wait_alone_for(Awaited& awaited, const Deadline& deadline);
  [[nodiscard]] bool arrives_soon(Awaited& awaited);
  [[nodiscard]] bool arrives_after_yields(Awaited& awaited, const Deadline& deadline);
  void wait_long(Awaited& awaited, const Deadline& deadline);
  [[nodiscard]] bool arrives_from_gone(Awaited& awaited, const Deadline* deadline);

  const Rank rank_;
  const Roster& roster_;
  const Clock::duration tell_after_;
  Meanwhile* meanwhile_ = nullptr;
  Contention contention_;
  Looks looks_;
  int looks_now_;  // between least and most: fewer after each wait in vain
};

}  // namespace trireme::wire
