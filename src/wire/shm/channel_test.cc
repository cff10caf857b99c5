#include "wire/shm/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "wire/wire_test_util.h"

namespace trireme::wire::shm {
namespace {

constexpr std::size_t kRing = 4096;

// One channel with both its ends.
class Channel {
 public:
  explicit Channel(std::size_t ring_bytes = kRing)
      : memory_(new(std::align_val_t{128}) std::byte[sizeof(ChannelLines) + ring_bytes]()),
        out(memory_.get(), ring_bytes),
        in(memory_.get(), ring_bytes) {}

 private:
  struct Deleter {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{128}); }
  };
  std::unique_ptr<std::byte[], Deleter> memory_;

 public:
  ChannelOut out;
  ChannelIn in;
};

// The bytes that can be read now; their room is not given back.
Bytes there(const ChannelIn& in, std::size_t rest) {
  const std::span<const std::byte> piece = in.readable(rest);
  return {piece.begin(), piece.end()};
}

TEST(Channel, OffersInOrder) {
  Channel channel;
  EXPECT_EQ(channel.in.next(), nullptr);
  EXPECT_TRUE(channel.out.offer({.id = 5, .bytes = 10}));
  EXPECT_TRUE(channel.out.offer({.id = 6, .bytes = 20, .offset = 30}));
  ASSERT_NE(channel.in.next(), nullptr);
  EXPECT_EQ(channel.in.next()->id, 5);
  EXPECT_EQ(channel.in.next()->bytes, 10U);
  EXPECT_EQ(channel.in.next()->offset, Offer::kStreamed);
  channel.in.take();
  EXPECT_EQ(channel.in.next()->id, 6);
  EXPECT_EQ(channel.in.next()->offset, 30U);
  channel.in.take();
  EXPECT_EQ(channel.in.next(), nullptr);
}

TEST(Channel, TakesNoMoreOffersThanItHasRoomFor) {
  Channel channel;
  for (OpId id = 0; id < static_cast<OpId>(ChannelLines::kOffers); ++id) {
    EXPECT_TRUE(channel.out.offer({.id = id}));
  }
  EXPECT_FALSE(channel.out.offer({.id = 99}));
  EXPECT_EQ(channel.in.next()->id, 0);
  channel.in.take();
  EXPECT_TRUE(channel.out.offer({.id = 99}));
  EXPECT_EQ(channel.in.next()->id, 1);
}

TEST(Channel, SaysWhichOffersWereTaken) {
  Channel channel;
  channel.out.offer({.id = 1});
  channel.out.offer({.id = 2});
  EXPECT_EQ(channel.out.offered(), 2U);
  EXPECT_EQ(channel.out.taken(), 0U);
  channel.in.take();
  EXPECT_EQ(channel.out.taken(), 1U);
}

TEST(Channel, IsFullWhenNobodyReads) {
  Channel channel;
  const Bytes sent = pattern(2 * kRing, 1);
  EXPECT_EQ(channel.out.write(sent), kRing);
  EXPECT_EQ(channel.out.write(std::span(sent).subspan(kRing)), 0U);
  channel.in.consume(64);
  EXPECT_EQ(channel.out.write(std::span(sent).subspan(kRing)), 64U);
  EXPECT_EQ(channel.out.write(std::span(sent).subspan(kRing + 64)), 0U);
}

TEST(Channel, KeepsTheBytesOfMessagesApart) {
  Channel channel;
  const Bytes first = pattern(100, 1);
  const Bytes second = pattern(7, 2);
  EXPECT_EQ(channel.out.write(first), 100U);
  EXPECT_EQ(channel.out.write(second), 7U);
  EXPECT_EQ(there(channel.in, 100), first);
  channel.in.consume(100);
  EXPECT_EQ(there(channel.in, 7), second);
  channel.in.consume(7);
  EXPECT_TRUE(channel.in.readable(1).empty());
}

// Messages of every awkward length, written and read as far as it goes, many times around the ring.
TEST(Channel, CarriesAnyLengthInPiecesOfWholeLines) {
  Channel channel;
  for (const std::size_t size : {1U, 63U, 64U, 65U, 1000U, 4095U, 4096U, 4097U, 10'000U, 100'001U}) {
    const Bytes sent = pattern(size, static_cast<int>(size));
    Bytes received(size);
    std::size_t written = 0;
    std::size_t read = 0;
    while (read < size) {
      written += channel.out.write(std::span(sent).subspan(written));
      const std::span<const std::byte> piece = channel.in.readable(size - read);
      ASSERT_FALSE(piece.empty());
      std::copy(piece.begin(), piece.end(), received.begin() + static_cast<std::ptrdiff_t>(read));
      read += piece.size();
      EXPECT_TRUE(read == size || piece.size() % 64 == 0) << piece.size();
      channel.in.consume(piece.size());
    }
    EXPECT_EQ(received, sent);
  }
}

TEST(Channel, CarriesMessagesFromThreadToThread) {
  Channel channel;
  constexpr OpId kMessages = 500;
  const auto size_of_message = [](OpId id) { return static_cast<std::size_t>(id * 37 % 9000); };
  on_threads({[&] {
                const Deadline deadline = soon();
                for (OpId id = 0; id < kMessages; ++id) {
                  const Bytes sent = pattern(size_of_message(id), static_cast<int>(id));
                  while (!channel.out.offer({.id = id, .bytes = sent.size()}) && !deadline.expired()) {
                    std::this_thread::yield();
                  }
                  for (std::size_t written = 0; written < sent.size() && !deadline.expired();) {
                    const std::size_t bytes = channel.out.write(std::span(sent).subspan(written));
                    written += bytes;
                    if (bytes == 0) std::this_thread::yield();
                  }
                }
              },
              [&] {
                const Deadline deadline = soon();
                for (OpId id = 0; id < kMessages; ++id) {
                  while (channel.in.next() == nullptr && !deadline.expired()) std::this_thread::yield();
                  ASSERT_NE(channel.in.next(), nullptr);
                  ASSERT_EQ(channel.in.next()->id, id);
                  Bytes received(channel.in.next()->bytes);
                  for (std::size_t read = 0; read < received.size() && !deadline.expired();) {
                    const std::span<const std::byte> piece = channel.in.readable(received.size() - read);
                    std::copy(piece.begin(), piece.end(),
                              received.begin() + static_cast<std::ptrdiff_t>(read));
                    read += piece.size();
                    piece.empty() ? std::this_thread::yield() : channel.in.consume(piece.size());
                  }
                  ASSERT_EQ(received, pattern(size_of_message(id), static_cast<int>(id)));
                  channel.in.take();
                }
              }});
}

}  // namespace
}  // namespace trireme::wire::shm
