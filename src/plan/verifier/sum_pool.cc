#include "plan/verifier/sum_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace trireme::plan::verifier {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  return x;
}

}  // namespace

SumPool::SumPool() : nodes_{{0, 0}}, differs_{false}, table_(1024) {}

Sum SumPool::contribution(Rank worker) { return intern({static_cast<std::uint32_t>(worker), kLeaf}); }

Sum SumPool::add(Sum a, Sum b) { return intern({std::min(a, b), std::max(a, b)}); }

Sum SumPool::complete(Sum sum) { return intern({sum, kComplete}); }

bool SumPool::is_complete(Sum sum) const { return nodes_[sum].right == kComplete; }

Sum SumPool::intern(Node node) {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = mix(std::uint64_t{node.left} << 32 | node.right) & mask;; at = (at + 1) & mask) {
    if (table_[at] == 0) {
      if (nodes_.size() >= kByChunk)
        throw bad_input("the plan is too large to verify: it has more than 2^32 sums");
      const auto sum = static_cast<Sum>(nodes_.size());
      table_[at] = sum;
      differs_.push_back(differs_by_chunk(node));
      nodes_.push_back(node);
      if (nodes_.size() * 2 > table_.size()) grow();
      return sum;
    }
    if (nodes_[table_[at]] == node) return table_[at];
  }
}

void SumPool::grow() {
  table_.assign(table_.size() * 4, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t sum = 1; sum < nodes_.size(); ++sum) {
    std::size_t at = mix(std::uint64_t{nodes_[sum].left} << 32 | nodes_[sum].right) & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = static_cast<Sum>(sum);
  }
}

SumPool::List SumPool::list(std::span<const Sum> members) {
  std::uint64_t hash = members.size();
  for (const Sum member : members) hash = mix(hash ^ member) + 0x9e3779b97f4a7c15U;
  const auto [begin, end] = lists_by_hash_.equal_range(hash);
  for (auto candidate = begin; candidate != end; ++candidate) {
    if (std::ranges::equal(lists_[candidate->second], members)) return candidate->second;
  }
  const auto made = static_cast<List>(lists_.size());
  lists_.emplace_back(members.begin(), members.end());
  lists_by_hash_.emplace(hash, made);
  return made;
}

Sum SumPool::chain(List list, std::size_t start) {
  const auto [known, is_new] = chains_.try_emplace(std::uint64_t{list} << 32 | start, kNothing);
  if (!is_new) return known->second;
  const std::vector<Sum>& members = lists_[list];
  Sum sum = members[start];
  for (std::size_t i = 1; i < members.size(); ++i) sum = add(sum, members[(start + i) % members.size()]);
  return known->second = sum;
}

Sum SumPool::by_chunk(List list) { return intern({list, kByChunk}); }

bool SumPool::differs_by_chunk(const Node& node) const {
  if (node.right == kLeaf) return false;
  if (node.right == kByChunk) return true;
  return differs_[node.left] || (node.right != kComplete && differs_[node.right]);
}

Sum SumPool::in_chunk(Sum sum, std::size_t k) {
  if (!differs_[sum]) return sum;
  const Node node = nodes_[sum];
  if (node.right == kComplete) return complete(in_chunk(node.left, k));
  if (node.right != kByChunk) return add(in_chunk(node.left, k), in_chunk(node.right, k));
  std::vector<Sum> members = lists_[node.left];
  for (Sum& member : members) member = in_chunk(member, k);
  return chain(list(members), k);
}

std::vector<std::uint32_t> SumPool::contributions(Sum sum, Rank workers) const {
  std::vector<std::uint32_t> result(idx(workers));
  // A node is made after its parts, so descending numbers visit every user of a node before the node itself.
  std::vector<std::uint64_t> uses(sum + 1);
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint32_t>::max();
  const auto use = [&](Sum part, std::uint64_t times) { uses[part] = std::min(kMany, uses[part] + times); };
  uses[sum] = 1;
  for (Sum at = sum; at > 0; --at) {
    if (uses[at] == 0) continue;
    const Node& node = nodes_[at];
    if (node.right == kLeaf) {
      result[node.left] = static_cast<std::uint32_t>(uses[at]);
      continue;
    }
    if (node.right == kByChunk) {
      for (const Sum member : lists_[node.left]) use(member, uses[at]);
      continue;
    }
    use(node.left, uses[at]);
    if (node.right != kComplete) use(node.right, uses[at]);
  }
  return result;
}

}  // namespace trireme::plan::verifier
