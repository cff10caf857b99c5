// The wire of a job on several hosts: shared memory between nodes of one host, TCP between hosts.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "wire/shm/shm.h"
#include "wire/tcp/tcp.h"
#include "wire/waiting/waiter.h"
#include "wire/wire.h"

namespace trireme::wire::tcp {

/// It has no windows: not all nodes could see them.
class MixedWire final : public JobWire, private Waiter, private shm::Traffic {
 public:
  /// Both wires have all nodes of the job, by the same ranks; of the shared memory only those take part that
  /// are `here`, by rank.
  MixedWire(std::unique_ptr<shm::ShmWire> shm, std::unique_ptr<TcpWire> tcp, std::vector<bool> here);

  [[nodiscard]] WireKind kind() const override { return WireKind::kMixed; }
  [[nodiscard]] Rank rank() const override { return tcp_->rank(); }

  void post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                    std::span<const std::byte> from) override;
  void post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                       Combine combine) override;
  /// A group has windows if all of its members are here.
  [[nodiscard]] std::unique_ptr<Wire> make_group(GroupId group, Members members, Rank rank,
                                                 std::uint64_t shared) override;
  [[nodiscard]] std::uint64_t share_for_group(const Members& members) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void wait_until(Awaited& awaited, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;
  void set_meanwhile(Meanwhile* meanwhile) override {
    Waiter::set_meanwhile(meanwhile);
    shm_->set_meanwhile(meanwhile);  // nodes of one host also wait there alone
  }

 private:
  class BatchAwaited;
  class TickAwaited;

  [[nodiscard]] bool is_posted() const override { return shm_->is_posted() || tcp_->is_posted(); }
  void wait_moving(Awaited& awaited, const Deadline& deadline) override;
  [[nodiscard]] JobWire& wire_to(Rank peer) const;
  [[nodiscard]] bool all_here(const Members& members) const;
  [[nodiscard]] Presence presence(Rank peer) override;
  void tell_waits_for(Rank peer) override;
  void sleep(Clock::time_point until) override;

  std::unique_ptr<shm::ShmWire> shm_;
  std::unique_ptr<TcpWire> tcp_;
  std::vector<bool> here_;
};

}  // namespace trireme::wire::tcp
