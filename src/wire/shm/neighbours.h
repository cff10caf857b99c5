// How a node of shared memory sleeps and wakes the others, and how it learns that one of them is gone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/system/process.h"
#include "base/types.h"
#include "wire/members.h"
#include "wire/roster/roster.h"
#include "wire/shm/fences.h"
#include "wire/shm/segment.h"
#include "wire/shm/spreading.h"
#include "wire/waiting/waiter.h"

namespace trireme::wire::shm {

/// Messages of a node that move on while it waits for ticks.
class Traffic {
 public:
  [[nodiscard]] virtual bool is_posted() const = 0;
  /// Waits like a `Waiter`, and moves what is posted.
  virtual void wait_moving(Awaited& awaited, const Deadline& deadline) = 0;

 protected:
  ~Traffic() = default;
};

/// Not thread-safe: it belongs to one node.
class Neighbours final : public Waiter {
 public:
  /// Enters the roster of the job.
  Neighbours(std::shared_ptr<Segment> segment, Rank rank);

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Segment& segment() const { return *segment_; }
  [[nodiscard]] Roster& roster() { return roster_; }
  [[nodiscard]] const Roster& roster() const { return roster_; }

  /// The messages of this node. They outlive its waits.
  void set_traffic(Traffic& traffic) { traffic_ = &traffic; }
  /// Waits for something else than these.
  void wait_beside_traffic(Awaited& awaited, const Deadline& deadline) {
    if (traffic_ == nullptr || !traffic_->is_posted()) return wait_for(awaited, deadline);
    traffic_->wait_moving(awaited, deadline);
  }

  /// Wakes another node, if it sleeps, after something was changed for it.
  void ring(Rank node);
  void ring(std::span<Bell* const> bells);
  [[nodiscard]] std::vector<Bell*> bells_of(const Members& nodes) const;

  void tell_waits_for(Rank peer) override;
  /// Whether a node has left or died.
  [[nodiscard]] Presence presence(Rank peer) override;

  /// Tells everybody that nothing more comes from this node. With a failure: why. Once is enough.
  void leave(const Failure* reason) noexcept;
  [[nodiscard]] bool has_left() const { return left_; }
  /// False in a child that was forked: it is not this node, whatever it has copied.
  [[nodiscard]] bool is_here() const;

 private:
  struct Watched {
    Rank node = 0;
    ProcessWatch process;
  };

  void on_first_looks_in_vain() override { spreading_.look(); }
  void arm() override;
  void disarm() noexcept override;
  void sleep(Clock::time_point until) override;
  void look_for_the_dead();
  void watch_newcomers();

  std::shared_ptr<Segment> segment_;
  const Rank rank_;
  const pid_t process_;
  Roster roster_;
  std::vector<Bell*> bells_;   // by rank
  std::vector<bool> watched_;  // by rank: is in watches_, or needs no watching
  std::vector<Watched> watches_;
  Clock::time_point next_look_;
  std::uint32_t seen_rings_ = 0;  // of its own bell, before the last look
  const Fences fences_;
  bool all_see_sleep_ = true;  // who changes something for this node wakes it
  Spreading spreading_;
  Traffic* traffic_ = nullptr;
  bool left_ = false;
};

}  // namespace trireme::wire::shm
