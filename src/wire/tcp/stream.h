// The messages between a node and one peer over a TCP connection: those of one channel in the order in which
// both ends post them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/system/fd.h"
#include "base/types.h"
#include "wire/tcp/frame.h"
#include "wire/transfer.h"
#include "wire/wire.h"

namespace trireme::wire::tcp {

/// A message goes out as soon as it is posted: the connection's own buffers are room enough for small ones,
/// and hold back large ones until the peer reads. What arrives is looked at when a receive is posted; bytes
/// are taken in as they come, so that an addition goes on while the rest is under way. A message whose
/// channel has no receive posted is put aside, so that those behind it arrive.
class Stream {
 public:
  /// An empty one, to nobody.
  Stream() = default;
  /// Connected and nonblocking. `rank` is this node's, for errors.
  Stream(Fd socket, Rank rank);

  void post_send(const Transfer& transfer, const std::byte* from);
  void post_receive(const Transfer& transfer);

  /// Moves what can be moved without blocking, until nothing more can, and completes transfers. Throws
  /// `Error` when what arrives is not what was posted.
  void move();

  /// Nothing is posted.
  [[nodiscard]] bool idle() const { return sends_.empty() && !awaits(); }
  /// The events of `poll` after which something posted may move: none when nothing is, or nothing can.
  [[nodiscard]] short awaited_events() const;
  /// The peer has closed the connection, or it broke; nothing moves any more.
  [[nodiscard]] bool ended() const { return ended_; }

  /// Calls `look(transfer)` for all that is posted, receives first.
  template <typename Look>
  void for_each_posted(Look look) const;

  /// Takes back what is posted and closes this end for writing.
  void close();
  [[nodiscard]] const Fd& socket() const { return socket_; }

 private:
  // First in, first out, in memory that is kept.
  template <typename T>
  class Queue {
   public:
    [[nodiscard]] bool empty() const { return first_ == items_.size(); }
    [[nodiscard]] T& front() { return items_[first_]; }
    void push(T item) { items_.push_back(std::move(item)); }
    void pop() {
      if (++first_ == items_.size()) clear();
    }
    void erase(T& item) {
      if (&item == &front()) return pop();
      items_.erase(items_.begin() + (&item - items_.data()));
    }
    void clear() {
      items_.clear();
      first_ = 0;
    }
    [[nodiscard]] std::span<T> all() { return std::span(items_).subspan(first_); }
    [[nodiscard]] std::span<const T> all() const { return std::span(items_).subspan(first_); }

   private:
    std::vector<T> items_;
    std::size_t first_ = 0;
  };

  struct Send {
    Transfer transfer;
    const std::byte* from = nullptr;
    std::array<std::byte, FrameHead::kBytes> head{};
    std::size_t written = 0;  // of head and bytes together
  };
  // A message whose channel had no receive posted when it came.
  struct Aside {
    FrameHead head;
    std::vector<std::byte> bytes;

    [[nodiscard]] bool complete() const { return bytes.size() == head.bytes; }
  };

  bool push();
  std::ptrdiff_t write(Send& send) const;
  bool pull();
  bool take_aside();
  bool take_early();
  bool take_early_in();
  bool take_early_aside();
  void begin_message();
  bool read_more();
  [[nodiscard]] Transfer* first_of(ChannelId channel);
  void check(const Transfer& receive, const FrameHead& head) const;
  [[nodiscard]] bool awaits() const { return receive_ || !receives_.empty(); }
  [[nodiscard]] std::size_t early() const { return end_ - begin_; }
  std::ptrdiff_t moved_or_ended(std::ptrdiff_t result);

  Fd socket_;
  Rank rank_ = 0;
  Queue<Send> sends_;
  Queue<Transfer> receives_;
  // The message at hand:
  std::optional<FrameHead> head_;       // has come; the rest has not
  std::optional<Transfer> receive_;     // where it goes; none: aside
  std::size_t read_ = 0;                // of its bytes
  std::vector<Aside> asides_;           // in the order of arrival; only the last is incomplete
  std::unique_ptr<std::byte[]> early_;  // bytes that have come and are not taken in yet: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};

template <typename Look>
void Stream::for_each_posted(Look look) const {
  if (receive_) look(*receive_);
  for (const Transfer& receive : receives_.all()) look(receive);
  for (const Send& send : sends_.all()) look(send.transfer);
}

}  // namespace trireme::wire::tcp
