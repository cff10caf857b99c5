#include "wire/point_to_point.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace trireme::wire {
namespace {

OpId id_of(OpId number, std::uint8_t kind) { return number * 256 + kind; }

}  // namespace

void PointToPoint::check(Rank peer, int tag) const {
  if (tag < 0 || tag > kMostTag) {
    throw bad_input(fmt::format("{} is no tag", with_commas(tag)),
                    fmt::format("tags are 0 to {}", with_commas(kMostTag)));
  }
  if (peer < 0 || peer >= wire_.size()) {
    throw bad_input(fmt::format("there is no rank {} among {}", peer, wire_.size()),
                    fmt::format("ranks are 0 to {}, in the group that sends", wire_.size() - 1));
  }
  if (peer == wire_.rank()) {
    throw bad_input(fmt::format("rank {} sends to itself, or receives from itself", peer),
                    "name another rank, or copy the numbers");
  }
}

PointToPoint::Tag& PointToPoint::at(int tag) {
  const auto [place, is_new] = tags_.try_emplace(tag);
  Tag& made = place->second;
  if (is_new) {
    const ChannelId id{.group = wire_.group(), .tagged = static_cast<std::uint32_t>(tag) + 1};
    made.channel = {.id = id, .windows = wire_.windows()};
    made.sends.resize(idx(wire_.size()));
    made.receives.resize(idx(wire_.size()));
  }
  return made;
}

void PointToPoint::post_send(Batch& batch, Rank to, int tag, std::span<const std::byte> from,
                             std::uint8_t kind) {
  Tag& used = at(tag);
  wire_.job().post_send_on(used.channel, batch, wire_.members().job_rank(to),
                           id_of(used.sends[idx(to)]++, kind), from);
}

void PointToPoint::post_receive(Batch& batch, Rank from, int tag, std::span<std::byte> into,
                                std::uint8_t kind) {
  Tag& used = at(tag);
  wire_.job().post_receive_on(used.channel, batch, wire_.members().job_rank(from),
                              id_of(used.receives[idx(from)]++, kind), into, copy_bytes);
}

Counters PointToPoint::counters() const {
  Counters all;
  for (const auto& [tag, used] : tags_) all += used.channel.counters;
  return all;
}

}  // namespace trireme::wire
