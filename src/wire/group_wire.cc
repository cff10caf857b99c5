#include "wire/group_wire.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "wire/notes.h"
#include "wire/or_leave.h"

namespace trireme::wire {
namespace {

constexpr const char* kSplitting = "splitting a group";

// What a node tells the others: which group it wants to be in.
struct Wish {
  std::int64_t color = 0;
  std::int64_t key = 0;
  std::uint32_t has_color = 0;
  GroupId next_group = 0;
};

template <typename T>
std::vector<T> share(Wire& wire, const T& own, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      share_notes(wire, std::as_bytes(std::span(&own, 1)), kSplitting, deadline);
  std::vector<T> all(idx(wire.size()));
  std::memcpy(all.data(), notes.data(), notes.size());
  return all;
}

// The ranks on the wire of those with the same color as `rank`, in the order of the new group.
std::vector<Rank> mates(const std::vector<Wish>& wishes, Rank rank) {
  std::vector<Rank> found;
  for (std::size_t node = 0; node < wishes.size(); ++node) {
    if (wishes[node].has_color != 0 && wishes[node].color == wishes[idx(rank)].color)
      found.push_back(static_cast<Rank>(node));
  }
  std::ranges::sort(found, {}, [&](Rank node) { return std::tuple(wishes[idx(node)].key, node); });
  return found;
}

Members in_job(const Wire& wire, const std::vector<Rank>& ranks) {
  std::vector<Rank> job_ranks;
  job_ranks.reserve(ranks.size());
  for (const Rank rank : ranks) job_ranks.push_back(wire.members().job_rank(rank));
  return Members(std::move(job_ranks));
}

}  // namespace

void GroupWire::post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) {
  job_.post_send_on(channel_, batch, members_.job_rank(to), id, from);
}

void GroupWire::post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  job_.post_receive_on(channel_, batch, members_.job_rank(from), id, into, combine);
}

std::unique_ptr<Wire> JobWire::make_group(GroupId group, Members members, Rank rank,
                                          std::uint64_t /*shared*/) {
  return std::make_unique<GroupWire>(*this, group, std::move(members), rank);
}

std::unique_ptr<Wire> split(Wire& wire, std::optional<std::int64_t> color, std::int64_t key,
                            const Deadline& deadline) {
  return or_leave_during(kSplitting, wire, [&]() -> std::unique_ptr<Wire> {
    JobWire& job = wire.job();
    const Wish own{
        .color = color.value_or(0), .key = key, .has_color = color ? 1U : 0U, .next_group = job.next_group};
    const std::vector<Wish> wishes = share(wire, own, deadline);
    // The same id for all groups of one split: they have no node in common.
    const GroupId group = std::ranges::max(wishes, {}, &Wish::next_group).next_group;
    job.next_group = group + 1;

    const std::vector<Rank> ranks = color ? mates(wishes, wire.rank()) : std::vector<Rank>();
    const bool is_first = color && ranks[0] == wire.rank();
    const std::uint64_t shared = is_first ? job.share_for_group(in_job(wire, ranks)) : 0;
    const std::vector<std::uint64_t> places = share(wire, shared, deadline);
    if (!color) return nullptr;
    const auto place = std::ranges::find(ranks, wire.rank()) - ranks.begin();
    return job.make_group(group, in_job(wire, ranks), static_cast<Rank>(place), places[idx(ranks[0])]);
  });
}

}  // namespace trireme::wire
