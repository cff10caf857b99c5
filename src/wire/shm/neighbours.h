// How a node of shared memory waits for the others and wakes them: spin, give way, sleep; and how it learns
// that one of them is gone.
#pragma once

#include <memory>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "base/process.h"
#include "base/types.h"
#include "wire/contention.h"
#include "wire/roster.h"
#include "wire/shm/segment.h"
#include "wire/shm/spreading.h"
#include "wire/transfer.h"

namespace trireme::wire::shm {

/// Something that a node waits for; asked again and again until it is there.
class Awaited {
 public:
  /// May do what can be done now. What it throws ends the wait.
  virtual bool arrived() = 0;
  /// What is missing, for errors: a transfer with a node that has left, if there is one.
  [[nodiscard]] virtual Transfer missing(const Roster& roster) const = 0;

 protected:
  ~Awaited() = default;
};

/// Not thread-safe: it belongs to one node.
class Neighbours {
 public:
  /// Enters the roster of the job.
  Neighbours(std::shared_ptr<Segment> segment, Rank rank);

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Segment& segment() const { return *segment_; }
  [[nodiscard]] Roster& roster() { return roster_; }
  [[nodiscard]] const Roster& roster() const { return roster_; }

  /// Wakes another node, if it sleeps, after something was changed for it.
  void ring(Rank node);
  void ring_all();

  /// Returns when it has arrived. Throws `Error` when the deadline passes, when a node that is missing has
  /// left or died, or, half a second after some other node has failed, when what is missing still is.
  void wait(Awaited& awaited, const Deadline& deadline);
  /// Throws likewise, without waiting, when a node that is missing has left or is known to have died.
  void require_present(Awaited& awaited, const Deadline* deadline = nullptr);

  /// Tells everybody that nothing more comes from this node. With a failure: why. Once is enough.
  void leave(const Failure* reason) noexcept;
  [[nodiscard]] bool has_left() const { return left_; }
  /// False in a child that was forked: it is not this node, whatever it has copied.
  [[nodiscard]] bool is_here() const;

 private:
  using Clock = Deadline::Clock;
  struct Watched {
    Rank node = 0;
    ProcessWatch process;
  };
  class Asleep;

  [[nodiscard]] bool arrives_soon(Awaited& awaited);
  [[nodiscard]] bool arrives_after_yields(Awaited& awaited, const Deadline& deadline);
  void wait_long(Awaited& awaited, const Deadline& deadline);
  void sleep(std::uint32_t seen, Clock::time_point until);
  bool look_for_the_dead();
  void watch_newcomers();

  std::shared_ptr<Segment> segment_;
  const Rank rank_;
  const pid_t process_;
  Roster roster_;
  std::vector<Bell*> bells_;   // by rank
  std::vector<bool> watched_;  // by rank: is in watches_, or needs no watching
  std::vector<Watched> watches_;
  Clock::time_point next_look_;
  Spreading spreading_;
  Contention contention_;
  const int most_spins_;
  const int least_spins_;
  int spins_;  // before the next giving way
  bool left_ = false;
};

}  // namespace trireme::wire::shm
