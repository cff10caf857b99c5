// Sums as symbols: the contributions that were added, and in which order. Equal sums have the same number, so
// a whole exchange can be run on symbols in time proportional to its ops.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/types.h"

namespace trireme::plan::verifier {

/// A symbolic value; two are equal exactly if they are the same tree of additions (a + b and b + a are equal,
/// as in IEEE arithmetic).
using Sum = std::uint32_t;

class SumPool {
 public:
  static constexpr Sum kNothing = 0;  ///< memory that was never written

  SumPool();

  [[nodiscard]] Sum contribution(Rank worker);  ///< the contribution of a worker
  [[nodiscard]] Sum add(Sum a, Sum b);
  [[nodiscard]] Sum complete(Sum sum);  ///< after the division of an average, or the update rule
  [[nodiscard]] bool is_complete(Sum sum) const;

  /// ((s_k + s_{k+1}) + …) + s_{k−1}: a list is added up from its k-th member on, and wraps around at its
  /// end.
  using List = std::uint32_t;
  [[nodiscard]] List list(std::span<const Sum> members);
  [[nodiscard]] Sum chain(List list, std::size_t start);

  /// The chain that begins with k in each chunk k: one symbol for memory in which the order differs between
  /// chunks.
  [[nodiscard]] Sum by_chunk(List list);
  /// The value in chunk k of such a sum, or of a sum that contains one. Any other sum is returned unchanged.
  [[nodiscard]] Sum in_chunk(Sum sum, std::size_t k);

  /// The number of times each worker's contribution is in the sum (saturating), by rank. Exact for any number
  /// of workers.
  [[nodiscard]] std::vector<std::uint32_t> contributions(Sum sum, Rank workers) const;

 private:
  struct Node {
    std::uint32_t left, right;
    friend bool operator==(const Node&, const Node&) = default;
  };
  // Values of `right` that mark nodes other than additions.
  static constexpr std::uint32_t kLeaf = 0xffffffff;
  static constexpr std::uint32_t kComplete = 0xfffffffe;
  static constexpr std::uint32_t kByChunk = 0xfffffffd;

  Sum intern(Node node);
  [[nodiscard]] bool differs_by_chunk(const Node& node) const;
  void grow();

  std::vector<Node> nodes_;    // by Sum; 0 stands for kNothing
  std::vector<bool> differs_;  // by Sum: whether it differs between chunks
  std::vector<Sum> table_;     // open addressing over nodes_, a power of two long, 0 = free
  std::vector<std::vector<Sum>> lists_;
  std::unordered_multimap<std::uint64_t, List> lists_by_hash_;
  std::unordered_map<std::uint64_t, Sum> chains_;  // (list, start) → sum
};

}  // namespace trireme::plan::verifier
