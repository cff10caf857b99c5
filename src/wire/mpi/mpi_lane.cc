#include "wire/mpi/mpi_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trireme::wire::mpi {
namespace {

// A segment's tag holds most of the op's id, and whether the segment is the last of its message. MPI
// guarantees 15 bits.
int tag_of(OpId id, bool last) { return static_cast<int>((id & 0x3fff) << 1) | (last ? 1 : 0); }
bool is_last(int tag) { return (tag & 1) != 0; }
bool same_op(int tag, int expected) { return tag >> 1 == expected >> 1; }

// Otherwise it is received in its place, or sent.
bool is_added(const Transfer& transfer) {
  return transfer.combine != nullptr && transfer.combine != copy_bytes;
}

// The excess is not known; only the following segments would tell.
Error too_long(Rank rank, const Transfer& receive) {
  Failure failure = wrong_length(rank, receive, 0).failure();
  failure.what =
      fmt::format("rank {} sends more than the {} bytes that are expected", receive.peer, receive.bytes);
  return Error(std::move(failure));
}

}  // namespace

void MpiLane::post(const Transfer& transfer, std::byte* data) {
  messages_.push_back({.transfer = transfer, .data = data});
  post_segments();
}

// Returns true if a segment was posted.
bool MpiLane::post_segments() {
  bool posted = false;
  while (unposted_ < messages_.size()) {
    Message& message = messages_[unposted_];
    if (flying_ >= (is_added(message.transfer) ? kMostAdding : kMostFlying) || !post_segment(message)) break;
    posted = true;
  }
  return posted;
}

// A receive is posted only when its segment has arrived.
bool MpiLane::post_segment(Message& message) {
  const Transfer& transfer = message.transfer;
  const std::size_t slot = (oldest_ + flying_) % kMostFlying;
  Segment& segment = segments_[slot];
  segment.bytes = std::min(kSegmentBytes, transfer.bytes - message.posted);
  segment.last =
      is_tagged() ? segment.bytes < kSegmentBytes : message.posted + segment.bytes == transfer.bytes;
  const int tag = is_tagged() ? tag_ : tag_of(transfer.id, segment.last);
  std::byte* place = place_for(message, slot);
  if (transfer.combine == nullptr) {
    segment.request = mpi_.send({place, segment.bytes}, peer_, tag);
  } else if (!receive(message, segment, tag, place)) {
    return false;
  }
  ++flying_;
  message.posted += segment.bytes;
  if (segment.last) ++unposted_;
  return true;
}

bool MpiLane::receive(const Message& message, Segment& segment, int tag, std::byte* place) {
  const std::optional<MpiCalls::Arrival> arrival = mpi_.next_from(peer_, tag_);
  if (!arrival) return false;
  check(message, *arrival, segment.bytes, tag);
  segment.request = mpi_.receive({place, segment.bytes});
  return true;
}

std::byte* MpiLane::place_for(const Message& message, std::size_t slot) {
  if (!is_added(message.transfer)) return message.data + message.posted;
  if (scratch_.empty()) scratch_.resize(kMostAdding * kSegmentBytes);
  return scratch(slot);
}

bool MpiLane::advance() {
  bool moved = post_segments();
  while (flying_ > 0 && mpi_.test(segments_[oldest_].request)) {
    take_in_oldest();
    post_segments();
    moved = true;
  }
  return moved;
}

void MpiLane::check(const Message& message, const MpiCalls::Arrival& arrival, std::size_t bytes,
                    int tag) const {
  if (arrival.bytes == bytes && arrival.tag == tag) return;
  if (!same_op(arrival.tag, tag)) throw other_op(rank_, message.transfer);
  const bool more_follows = is_tagged() ? arrival.bytes == kSegmentBytes : !is_last(arrival.tag);
  if (more_follows || arrival.bytes > bytes) throw too_long(rank_, message.transfer);
  throw wrong_length(rank_, message.transfer, message.posted + arrival.bytes);
}

void MpiLane::take_in_oldest() {
  Message& message = messages_.front();
  const Transfer& transfer = message.transfer;
  const std::size_t bytes = segments_[oldest_].bytes;
  const bool last = segments_[oldest_].last;
  if (is_added(transfer)) transfer.combine(message.data + message.done, scratch(oldest_), bytes);
  message.done += bytes;
  pop_oldest();
  if (last) complete_message();
}

void MpiLane::pop_oldest() {
  oldest_ = (oldest_ + 1) % kMostFlying;
  --flying_;
}

void MpiLane::complete_message() {
  messages_.front().transfer.complete();
  messages_.erase(messages_.begin());
  --unposted_;
}

const Transfer* MpiLane::find(const Batch* batch) const {
  for (const Message& message : messages_) {
    if (batch == nullptr || message.transfer.batch == batch) return &message.transfer;
  }
  return nullptr;
}

void MpiLane::drop() noexcept {
  while (flying_ > 0) {
    mpi_.drop(segments_[oldest_].request);
    pop_oldest();
  }
  messages_.clear();
  unposted_ = 0;
}

}  // namespace trireme::wire::mpi
