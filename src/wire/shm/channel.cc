#include "wire/shm/channel.h"

#include <algorithm>

#include "wire/wire.h"

namespace trireme::wire::shm {
namespace {

// Messages begin at multiples of this in the ring, so that every piece but a message's last is one too.
constexpr std::size_t kGrain = 64;

// How much is written or read at a time: small enough for both ends to be busy at once and for the bytes to
// be still in the cache when they are read.
constexpr std::size_t kMostAtOnce = std::size_t{32} << 10;

std::size_t in_grains(std::size_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

}  // namespace

ChannelOut::ChannelOut(std::byte* memory, std::size_t ring_bytes)
    : lines_(reinterpret_cast<ChannelLines*>(memory)),
      ring_(memory + sizeof(ChannelLines)),
      ring_bytes_(ring_bytes) {}

bool ChannelOut::offer(const Offer& offer) {
  if (offered_ - known_taken_ >= ChannelLines::kOffers) known_taken_ = taken();
  if (offered_ - known_taken_ >= ChannelLines::kOffers) return false;
  lines_->offers[offered_ % ChannelLines::kOffers] = offer;
  lines_->offered.store(++offered_, std::memory_order_release);
  return true;
}

std::size_t ChannelOut::write(std::span<const std::byte> rest) {
  const std::size_t place = written_ % ring_bytes_;
  const std::size_t wanted = std::min({rest.size(), ring_bytes_ - place, kMostAtOnce});
  const auto room = [&] { return ring_bytes_ - (written_ - known_read_); };
  if (room() < wanted) known_read_ = lines_->read.load(std::memory_order_acquire);
  const std::size_t bytes = std::min(wanted, room());
  if (bytes == 0) return 0;
  copy_bytes(ring_ + place, rest.data(), bytes);
  written_ += in_grains(bytes);
  lines_->written.store(written_, std::memory_order_release);
  return bytes;
}

ChannelIn::ChannelIn(std::byte* memory, std::size_t ring_bytes)
    : lines_(reinterpret_cast<ChannelLines*>(memory)),
      ring_(memory + sizeof(ChannelLines)),
      ring_bytes_(ring_bytes) {}

const Offer* ChannelIn::next() const {
  if (lines_->offered.load(std::memory_order_acquire) == taken_) return nullptr;
  return &lines_->offers[taken_ % ChannelLines::kOffers];
}

std::span<const std::byte> ChannelIn::readable(std::size_t rest) const {
  const std::size_t there = lines_->written.load(std::memory_order_acquire) - read_;
  const std::size_t place = read_ % ring_bytes_;
  return {ring_ + place, std::min({rest, there, ring_bytes_ - place, kMostAtOnce})};
}

void ChannelIn::consume(std::size_t bytes) {
  read_ += in_grains(bytes);
  lines_->read.store(read_, std::memory_order_release);
}

void ChannelIn::take() { lines_->taken.store(++taken_, std::memory_order_release); }

}  // namespace trireme::wire::shm
