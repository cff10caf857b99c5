// The wire `mpi`: messages through MPI, over any network that MPI supports.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/mpi/mpi_lane.h"
#include "wire/mpi/mpi_library.h"
#include "wire/mpi/term_signal.h"
#include "wire/roster/roster.h"
#include "wire/transfer.h"
#include "wire/waiting/patience.h"
#include "wire/wire.h"

namespace trireme::wire::mpi {

/// After a failure the others learn of it when this process ends, which makes the launcher end them too.
class MpiWire final : public JobWire {
 public:
  MpiWire(const MpiPlace& place, MpiCalls& mpi, const TermSignal& term);

  [[nodiscard]] WireKind kind() const override { return WireKind::kMpi; }
  [[nodiscard]] Rank rank() const override { return place_.rank; }

  void post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                    std::span<const std::byte> from) override;
  void post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                       Combine combine) override;
  [[nodiscard]] std::unique_ptr<Wire> make_group(GroupId group, Members members, Rank rank,
                                                 std::uint64_t shared) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void wait_until(Awaited& awaited, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;
  void set_meanwhile(Meanwhile* meanwhile) override { meanwhile_ = meanwhile; }

  [[nodiscard]] bool has_left() const { return left_; }
  /// Throws if this node has left.
  void require_here() const;
  /// All nodes call it together, when nothing is posted: gives back what MPI holds for groups.
  void free_groups();

 private:
  class BatchAwaited;
  static constexpr Rank kNobody = -1;

  // The messages of the job, or of one group: MPI keeps those of different communicators apart.
  struct Lanes {
    // Of messages with a tag: by tag, and by rank in the group.
    using Tagged = std::map<std::pair<int, Rank>, MpiLane>;

    /// Of a group: its calls; null: the job's.
    std::unique_ptr<MpiCalls> calls;
    std::unique_ptr<MpiCalls> tagged_calls;  // for messages with a tag
    std::vector<MpiLane> sends;              // by rank in the group
    std::vector<MpiLane> receives;           // by rank in the group
    Tagged tagged_sends{};
    Tagged tagged_receives{};
    std::map<Rank, Rank> members{};  // by rank in the job; empty: the job
    [[nodiscard]] Rank in_group(Rank peer) const { return members.empty() ? peer : members.at(peer); }
  };

  [[nodiscard]] Lanes make_lanes(std::unique_ptr<MpiCalls> group_calls, Rank nodes);
  [[nodiscard]] MpiLane& lane_of(const Channel& channel, Rank peer, bool sends);
  void post(MpiLane& lane, const Transfer& transfer, std::byte* data);
  bool move();
  [[nodiscard]] Transfer missing(const Batch* batch) const;
  void tell_whom_it_awaits(Rank peer);
  void hear_who_awaits_whom(Deadline::Clock::time_point end);

  const MpiPlace place_;
  MpiCalls& mpi_;
  const TermSignal& term_;
  Roster roster_;  // what the other nodes have reported about themselves
  Patience patience_;
  Rank told_ = kNobody;             // the node that this node told the others it waits for
  std::map<GroupId, Lanes> lanes_;  // of groups to the end: to free a communicator, all must come together
  std::vector<MpiLane*> busy_;      // those with messages
  Meanwhile* meanwhile_ = nullptr;
  bool left_ = false;
};

}  // namespace trireme::wire::mpi
