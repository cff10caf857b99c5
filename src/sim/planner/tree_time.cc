#include "sim/planner/tree_time.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace trireme::sim {
namespace {

// Products of days and a million nodes do not fit in 64 bits.
using Wide = __int128;

// A node and its descendants, up to the moment when the node has added up all their contributions.
struct Subtree {
  Wide from_start = 0;   // since all began together
  Wide from_answer = 0;  // since the node got the last sum, without the workers' computation in between
  Wide told = 0;         // the time until all nodes have a sum that the node gets
};

class TreeTimes {
 public:
  TreeTimes(Picoseconds latency, Picoseconds card, Picoseconds adding)
      : latency_(latency), card_(card), adding_(adding) {}

  // The children of the first node have subtrees of 1, 2, 4, … nodes; the last child's may be smaller.
  [[nodiscard]] Subtree of(Rank nodes) {
    if (nodes == 1) return {};
    const auto last = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(nodes - 1))) - 1;
    while (std::ssize(full_) < last) full_.push_back(join(full_));
    std::vector<Subtree> children(full_.begin(), full_.begin() + last);
    children.push_back(of(nodes - (Rank{1} << last)));
    return join(children);
  }

 private:
  [[nodiscard]] Subtree join(const std::vector<Subtree>& children) const {
    Subtree joined;
    std::vector<Wide> pushes;
    for (const Subtree& child : children) pushes.push_back(child.from_start);
    joined.from_start = added(pushes, 0);
    // The largest subtree gets the sum first.
    Wide sent = 0;
    for (std::size_t i = children.size(); i-- > 0;) {
      sent += card_;
      joined.told = std::max(joined.told, sent + latency_ + children[i].told);
      pushes[i] = sent + latency_ + children[i].from_answer;
    }
    joined.told = std::max(joined.told, sent);
    joined.from_answer = added(pushes, sent);
    return joined;
  }

  // Messages reach the card in sending order and are added in the order of the children.
  [[nodiscard]] Wide added(const std::vector<Wide>& pushes, Wide begin) const {
    std::vector<std::size_t> order(pushes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return pushes[a] < pushes[b]; });
    std::vector<Wide> there(pushes.size());
    Wide busy_until = 0;
    for (const std::size_t i : order) {
      there[i] = busy_until = std::max(busy_until, pushes[i] + latency_) + card_;
    }
    for (const Wide time : there) begin = std::max(begin, time) + adding_;
    return begin;
  }

  Wide latency_;
  Wide card_;
  Wide adding_;
  std::vector<Subtree> full_;  // [k]: of 2^k nodes
};

}  // namespace

TreeTime tree_time(Rank workers, Picoseconds latency, Picoseconds card, Picoseconds adding) {
  const Subtree all = TreeTimes(latency, card, adding).of(workers);
  return {all.from_start + all.told, all.from_answer};
}

}  // namespace trireme::sim
