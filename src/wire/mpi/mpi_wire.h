// The wire `mpi`: messages through MPI, over any network that MPI supports.
#pragma once

#include <string_view>
#include <vector>

#include "wire/mpi/mpi_lane.h"
#include "wire/mpi/mpi_library.h"
#include "wire/mpi/term_signal.h"
#include "wire/patience.h"
#include "wire/roster.h"
#include "wire/transfer.h"
#include "wire/wire.h"

namespace trireme::wire::mpi {

/// After a failure the others learn of it when this process ends, which makes the launcher end them too.
class MpiWire final : public Wire {
 public:
  MpiWire(const MpiPlace& place, MpiCalls& mpi, const TermSignal& term);

  [[nodiscard]] WireKind kind() const override { return WireKind::kMpi; }
  [[nodiscard]] Rank rank() const override { return place_.rank; }
  [[nodiscard]] Rank size() const override { return place_.size; }
  [[nodiscard]] Counters counters() const override { return counters_; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;

  [[nodiscard]] bool has_left() const { return left_; }
  /// Throws if this node has left.
  void require_here() const;

 private:
  static constexpr Rank kNobody = -1;

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
  Rank told_ = kNobody;            // the node that this node told the others it waits for
  std::vector<MpiLane> sends_;     // by rank
  std::vector<MpiLane> receives_;  // by rank
  std::vector<MpiLane*> busy_;     // those with messages
  Counters counters_;
  bool left_ = false;
};

}  // namespace trireme::wire::mpi
