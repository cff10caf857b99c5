// The wire between nodes that are connected by TCP, on one host or many.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/fd.h"
#include "base/types.h"
#include "wire/rendezvous/rendezvous.h"
#include "wire/roster/roster.h"
#include "wire/shm/segment.h"
#include "wire/shm/spreading.h"
#include "wire/tcp/frame.h"
#include "wire/tcp/stream.h"
#include "wire/transfer.h"
#include "wire/waiting/waiter.h"
#include "wire/wire.h"

namespace trireme::wire::tcp {

/// A send is complete when its bytes are on their way: the peer may not have them yet.
///
/// Nodes tell each other when they fail, finish, or wait for long, and for whom. A peer that is gone is
/// noticed when its connections close; one that is stopped or cut off, at the deadline.
class TcpWire final : public JobWire, private Waiter {
 public:
  /// A node that waits longer than this says for whom. It is much shorter than any sensible deadline, so that
  /// everybody knows where the others are when one passes.
  static constexpr std::chrono::milliseconds kTellAfter{100};

  /// `links` by rank, as `meet` gives them.
  TcpWire(Rank rank, std::vector<rendezvous::Link> links);
  ~TcpWire() override;

  /// The memory of this host, and how many nodes of the job share it. They need not share a core; and where
  /// each has one of its own, it may spin. Until this is known a node does not.
  void settle_in(std::shared_ptr<shm::Segment> host, std::int64_t nodes);
  /// The memory of a launcher that wants to know why a node fails.
  void report_to(std::shared_ptr<shm::Segment> launcher) { launcher_ = std::move(launcher); }

  [[nodiscard]] WireKind kind() const override { return WireKind::kTcp; }
  [[nodiscard]] Rank rank() const override { return rank_; }

  void post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                    std::span<const std::byte> from) override;
  void post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                       Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void wait_until(Awaited& awaited, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;
  void set_meanwhile(Meanwhile* meanwhile) override { Waiter::set_meanwhile(meanwhile); }

  // For a wire that is made of this one and another.
  /// Moves what can be moved now, and looks at nothing else.
  void move();
  /// The first of all that is posted in the batch (null: at all), preferably with a peer that is gone. It has
  /// no batch if nothing is posted.
  [[nodiscard]] Transfer missing(const Batch* batch) const;
  [[nodiscard]] bool is_posted() const;
  [[nodiscard]] const Roster& roster() const { return roster_; }
  /// To be called at each wait: hears what the others say every 64th time.
  void hear_now_and_then();
  [[nodiscard]] Presence presence(Rank peer) override { return presence_of(peer); }
  void tell_waits_for(Rank peer) override;
  void sleep(Clock::time_point until) override;

 private:
  class BatchAwaited;
  class OtherAwaited;
  struct Control {
    Fd socket;
    WordReader reader;
    bool settled = false;  // nothing more comes: the peer has said its last word, or closed
  };

  void require_here() const;
  void on_first_looks_in_vain() override;
  [[nodiscard]] Presence presence_of(Rank peer) const;
  void listen_to(const Fd& control, Rank peer);
  void hear();
  void hear(Rank peer);
  void handle(Rank peer, const Word& word);
  void say(const Word& word) noexcept;
  void say(Rank peer, std::span<const std::byte> bytes) noexcept;

  const Rank rank_;
  const pid_t process_;            // a child that was forked is not this node
  std::vector<Stream> streams_;    // by rank
  std::vector<Control> controls_;  // by rank
  Roster roster_;                  // as far as this node has heard
  Fd words_;                       // an epoll of the control connections
  std::vector<pollfd> watched_;    // by who sleeps; kept for its memory
  std::uint32_t waits_ = 0;
  std::optional<shm::Spreading> spreading_;
  std::shared_ptr<shm::Segment> launcher_;
  bool left_ = false;
};

}  // namespace trireme::wire::tcp
