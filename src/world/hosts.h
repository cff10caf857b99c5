// Which nodes of a job share a host: those that can open each other's memory. Names of hosts say nothing
// about that: containers have names of their own, and hosts may have the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/deadline.h"
#include "base/system/fd.h"
#include "base/types.h"
#include "wire/shm/segment.h"
#include "wire/wire.h"

namespace trireme::world {

/// A page of this process that others on its host can find, and nobody else.
class SharedPage {
 public:
  SharedPage();

  /// The bytes by which others find it.
  [[nodiscard]] std::vector<std::byte> card() const;
  /// Whether this process can see the page of that card. Nothing in a card is believed.
  [[nodiscard]] static bool is_visible(const std::vector<std::byte>& card);

 private:
  Fd file_;
  std::array<std::byte, 32> mark_;
};

/// How the nodes are spread over hosts, as all of them have found together.
struct Hosts {
  std::vector<Rank> first;                      ///< by rank: the lowest rank on its host
  std::shared_ptr<wire::shm::Segment> segment;  ///< of this node's host, with room for all nodes of the job

  [[nodiscard]] int count() const;
  /// Whether each rank shares this node's host.
  [[nodiscard]] std::vector<bool> here(Rank rank) const;
};

/// All nodes call it together, with everybody's cards, by rank. `wire` may be any that connects them.
[[nodiscard]] Hosts find_hosts(wire::Wire& wire, const std::vector<std::vector<std::byte>>& cards,
                               const Deadline& deadline);

}  // namespace trireme::world
