// Nodes of one host that share a core while another core has nothing to do move apart: the system is slow to
// move what runs all the time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/system/cores.h"
#include "base/types.h"
#include "wire/shm/segment.h"

namespace trireme::wire::shm {

/// One node's part. The nodes tell each other their cores in memory that they share.
class Spreading {
 public:
  Spreading(std::shared_ptr<Segment> segment, Rank rank);

  [[nodiscard]] int cores() const { return cores_.count(); }

  /// Called when a node has waited in vain: perhaps the one it waits for needs this very core. Of the nodes
  /// on a core that has at least two more than another the highest rank moves. With more nodes than cores it
  /// looks only now and then: there nodes wait in vain all the time.
  void look() {
    if (calls_++ % look_every_ == 0) move_apart();
  }

 private:
  static constexpr std::uint32_t kLookEveryWhenCrowded = 64;

  void move_apart();

  std::shared_ptr<Segment> segment_;
  const Rank rank_;
  const Cores cores_;
  const std::uint32_t look_every_;
  std::vector<Bell*> bells_;  // by rank
  std::uint32_t calls_ = 0;
};

}  // namespace trireme::wire::shm
