#include "plan/ring_order.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace trireme::plan {

RingOrder::RingOrder(std::vector<Rank> ranks) : ranks_(std::move(ranks)), positions_(ranks_.size(), -1) {
  for (std::size_t position = 0; position < ranks_.size(); ++position) {
    const Rank rank = ranks_[position];
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()) {
      throw bad_input(
          fmt::format("the ring order names rank {}, but there are {} workers", rank, ranks_.size()));
    }
    Rank& place = positions_[static_cast<std::size_t>(rank)];
    if (place >= 0) throw bad_input(fmt::format("the ring order names rank {} twice", rank));
    place = static_cast<Rank>(position);
  }
}

}  // namespace trireme::plan
