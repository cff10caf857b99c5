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

#include "base/fd.h"
#include "base/types.h"
#include "wire/contention.h"
#include "wire/rendezvous/link.h"
#include "wire/roster.h"
#include "wire/shm/segment.h"
#include "wire/shm/spreading.h"
#include "wire/tcp/frame.h"
#include "wire/tcp/stream.h"
#include "wire/transfer.h"
#include "wire/wire.h"

namespace trireme::wire::tcp {

/// A send is complete when its bytes are on their way: the peer may not have them yet.
///
/// Nodes tell each other when they fail, finish, or wait for long, and for whom. A peer that is gone is
/// noticed when its connections close; one that is stopped or cut off, at the deadline.
class TcpWire final : public Wire {
 public:
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
  [[nodiscard]] Rank size() const override { return static_cast<Rank>(streams_.size()); }
  [[nodiscard]] Counters counters() const override { return counters_; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;

  // For a wire that is made of this one and another.
  /// Moves what can be moved now, and looks at nothing else.
  void move();
  /// Of all that is posted in the batch (null: at all) the first, rather of a peer that is lost. Without a
  /// batch in it: nothing is.
  [[nodiscard]] Transfer missing(const Batch* batch) const;
  /// The peer's connections are closed.
  [[nodiscard]] bool is_gone(Rank peer) const { return streams_[idx(peer)].ended(); }
  /// Returns when something may move again, or at the given time; hears what others say.
  void sleep(Deadline::Clock::time_point until);
  /// Tells the others whom this node waits for; -1: for nobody any more.
  void say_waits_for(Rank peer) noexcept;
  [[nodiscard]] const Roster& roster() const { return roster_; }

 private:
  using Clock = Deadline::Clock;
  struct Control {
    Fd socket;
    WordReader reader;
    bool settled = false;  // nothing more comes: the peer has said its last word, or closed
  };

  void require_here() const;
  [[nodiscard]] bool arrives_after(const Batch& batch, int looks);
  [[nodiscard]] bool arrives_after_yields(const Batch& batch);
  void wait_long(const Batch& batch, const Deadline& deadline);
  [[nodiscard]] bool is_lost(Rank peer) const;
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
  int spins_;
  int yields_ = 0;
  Contention contention_{/*crowded=*/true};
  std::uint32_t waits_ = 0;
  std::optional<shm::Spreading> spreading_;
  std::shared_ptr<shm::Segment> launcher_;
  bool left_ = false;
  Counters counters_;
};

/// A wait over a wire: tells the others for whom, once it has taken a while, and that it is over.
class LongWait {
 public:
  explicit LongWait(TcpWire& wire);

  /// When there is something to tell.
  [[nodiscard]] Deadline::Clock::time_point due() const { return due_; }
  void waits_for(Rank peer);
  /// What was waited for has come. A wait that fails is never over: until the others hear why, they know for
  /// whom it was.
  void over();

 private:
  TcpWire& wire_;
  Rank told_ = -1;
  Deadline::Clock::time_point due_;
};

}  // namespace trireme::wire::tcp
