// The messages between a node and one peer over a TCP connection, in the order in which both ends post them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/system/fd.h"
#include "base/types.h"
#include "wire/tcp/frame.h"
#include "wire/transfer.h"
#include "wire/wire.h"

namespace trireme::wire::tcp {

/// A message goes out as soon as it is posted: the connection's own buffers are room enough for small ones,
/// and hold back large ones until the peer reads. What arrives is looked at when its receive is posted; bytes
/// are taken in as they come, so that an addition goes on while the rest is under way.
class Stream {
 public:
  /// An empty one, to nobody.
  Stream() = default;
  /// Connected and nonblocking. `rank` is this node's, for errors.
  Stream(Fd socket, Rank rank);

  void post_send(const Transfer& transfer, const std::byte* from);
  void post_receive(const Transfer& transfer);

  /// Moves what can be moved without blocking, until nothing more can. Completed transfers are counted, and
  /// taken out of their batch. Throws `Error` when what arrives is not what was posted.
  void move(Counters& counters);

  /// Nothing is posted.
  [[nodiscard]] bool idle() const { return sends_.empty() && receives_.empty(); }
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
    void clear() {
      items_.clear();
      first_ = 0;
    }
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
  struct Receive {
    Transfer transfer;
    bool begun = false;    // its head has come
    std::size_t read = 0;  // of its bytes
  };

  bool push(Counters& counters);
  std::ptrdiff_t write(Send& send) const;
  bool pull(Counters& counters);
  bool take_early(Receive& receive);
  void check_head(Receive& receive);
  bool read_more(Receive& receive);
  [[nodiscard]] std::size_t early() const { return end_ - begin_; }
  std::ptrdiff_t moved_or_ended(std::ptrdiff_t result);

  Fd socket_;
  Rank rank_ = 0;
  Queue<Send> sends_;
  Queue<Receive> receives_;
  std::unique_ptr<std::byte[]> early_;  // bytes that have come and are not taken in yet: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};

template <typename Look>
void Stream::for_each_posted(Look look) const {
  for (const Receive& receive : receives_.all()) look(receive.transfer);
  for (const Send& send : sends_.all()) look(send.transfer);
}

}  // namespace trireme::wire::tcp
