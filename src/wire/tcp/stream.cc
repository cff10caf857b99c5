#include "wire/tcp/stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace trireme::wire::tcp {
namespace {

// So much is read ahead: enough for several small messages at once, or one of 64 KiB with its head, and
// little enough to be still in a core's own cache when it is added. With 16 KiB an exchange of 64 KiB takes a
// seventh longer, with 128 KiB one of 256 KiB a sixth.
constexpr std::size_t kEarlyBytes = (std::size_t{64} << 10) + 64;
// So much is sent or read at a time, before the other direction has its turn.
constexpr std::size_t kPieceBytes = std::size_t{512} << 10;
// Messages of so many bytes go out in one piece with their head.
constexpr std::size_t kFewBytes = std::size_t{4} << 10;
// `Combine` wants pieces of whole lines.
constexpr std::size_t kLine = 64;

}  // namespace

Stream::Stream(Fd socket, Rank rank) : socket_(std::move(socket)), rank_(rank) {}

void Stream::post_send(const Transfer& transfer, const std::byte* from) {
  sends_.push({transfer, from, FrameHead{transfer.id, transfer.bytes, transfer.channel->id}.encode()});
}

void Stream::post_receive(const Transfer& transfer) { receives_.push(transfer); }

void Stream::move() {
  while (!asides_.empty() && take_aside()) {
  }
  bool moved = true;
  while (moved && !ended_ && !idle()) {
    moved = push();
    if (!ended_ && pull()) moved = true;
  }
}

short Stream::awaited_events() const {
  if (ended_) return 0;
  return static_cast<short>((awaits() ? POLLIN : 0) | (sends_.empty() ? 0 : POLLOUT));
}

void Stream::close() {
  sends_.clear();
  receives_.clear();
  receive_.reset();
  if (socket_) ::shutdown(socket_.get(), SHUT_WR);
}

// Takes the result of a call that moves bytes: returns at least 0. An error that waiting does not cure ends
// the stream.
std::ptrdiff_t Stream::moved_or_ended(std::ptrdiff_t result) {
  if (result >= 0) return result;
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ended_ = true;
  return 0;
}

// True when something went out.
bool Stream::push() {
  if (sends_.empty()) return false;
  Send& send = sends_.front();
  const std::ptrdiff_t sent = moved_or_ended(write(send));
  if (sent == 0) return false;
  send.written += static_cast<std::size_t>(sent);
  if (send.written < FrameHead::kBytes + send.transfer.bytes) return true;
  send.transfer.complete();
  sends_.pop();
  return true;
}

// Sends the rest of the front, or a piece of it. Gathering a few bytes here is quicker than letting the
// system do it.
std::ptrdiff_t Stream::write(Send& send) const {
  constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
  if (send.written == 0 && send.transfer.bytes <= kFewBytes) {
    std::array<std::byte, FrameHead::kBytes + kFewBytes> frame;
    std::byte* const after_head = std::copy_n(send.head.data(), FrameHead::kBytes, frame.data());
    copy_bytes(after_head, send.from, send.transfer.bytes);
    return ::send(socket_.get(), frame.data(), FrameHead::kBytes + send.transfer.bytes, kFlags);
  }
  const std::size_t head_left = FrameHead::kBytes - std::min(send.written, FrameHead::kBytes);
  const std::size_t done = send.written + head_left - FrameHead::kBytes;
  const std::size_t piece = std::min(send.transfer.bytes - done, kPieceBytes);
  iovec parts[2] = {{send.head.data() + (FrameHead::kBytes - head_left), head_left},
                    {const_cast<std::byte*>(send.from) + done, piece}};
  const msghdr message{.msg_name = nullptr,
                       .msg_namelen = 0,
                       .msg_iov = parts + (head_left == 0 ? 1 : 0),
                       .msg_iovlen = head_left == 0 ? 1U : 2U,
                       .msg_control = nullptr,
                       .msg_controllen = 0,
                       .msg_flags = 0};
  return ::sendmsg(socket_.get(), &message, kFlags);
}

// True when something came in.
bool Stream::pull() {
  if (!asides_.empty() && take_aside()) return true;
  if (!awaits()) return false;
  if (!take_early()) {
    if (!read_more()) return false;
    take_early();
  }
  return true;
}

// Takes in what has been read already. True when a message is complete.
bool Stream::take_early() {
  if (!head_) {
    if (early() < FrameHead::kBytes) return false;
    begin_message();
  }
  if (!(receive_ ? take_early_in() : take_early_aside())) return false;
  head_.reset();
  return true;
}

// A message that waits behind others of its channel, which were put aside, has no receive: they come first.
void Stream::begin_message() {
  const std::span<const std::byte, FrameHead::kBytes> bytes(early_.get() + begin_, FrameHead::kBytes);
  const FrameHead head = FrameHead::decode(bytes);
  if (Transfer* const receive = first_of(head.channel)) {
    check(*receive, head);
    receive_ = *receive;
    receives_.erase(*receive);
  } else {
    asides_.push_back({head, {}});
  }
  head_ = head;
  read_ = 0;
  begin_ += FrameHead::kBytes;
}

Transfer* Stream::first_of(ChannelId channel) {
  for (Transfer& receive : receives_.all()) {
    if (receive.channel->id == channel) return &receive;
  }
  return nullptr;
}

void Stream::check(const Transfer& receive, const FrameHead& head) const {
  if (head.id != receive.id) throw other_op(rank_, receive);
  if (head.bytes != receive.bytes) throw wrong_length(rank_, receive, head.bytes);
}

bool Stream::take_early_in() {
  const std::size_t missing = receive_->bytes - read_;
  std::size_t piece = std::min(missing, early());
  if (piece < missing) piece = piece / kLine * kLine;
  if (piece > 0) receive_->combine(receive_->into + read_, early_.get() + begin_, piece);
  begin_ += piece;
  read_ += piece;
  if (read_ < receive_->bytes) return false;
  receive_->complete();
  receive_.reset();
  return true;
}

// Takes no more memory than bytes have come.
bool Stream::take_early_aside() {
  Aside& aside = asides_.back();
  const std::size_t piece = std::min<std::size_t>(aside.head.bytes - aside.bytes.size(), early());
  aside.bytes.insert(aside.bytes.end(), early_.get() + begin_, early_.get() + begin_ + piece);
  begin_ += piece;
  return aside.complete();
}

// True when a receive was posted for one of them.
bool Stream::take_aside() {
  for (auto aside = asides_.begin(); aside != asides_.end() && aside->complete(); ++aside) {
    Transfer* const receive = first_of(aside->head.channel);
    if (receive == nullptr) continue;
    check(*receive, aside->head);
    if (receive->bytes > 0) receive->combine(receive->into, aside->bytes.data(), receive->bytes);
    receive->complete();
    receives_.erase(*receive);
    asides_.erase(aside);
    return true;
  }
  return false;
}

// A copy is read straight to its place, and what follows it into the room for early bytes; anything else goes
// through that room. True when something came.
bool Stream::read_more() {
  if (!early_) early_ = std::make_unique_for_overwrite<std::byte[]>(kEarlyBytes);
  std::memmove(early_.get(), early_.get() + begin_, early());
  end_ = early();
  begin_ = 0;
  std::byte* into = nullptr;
  std::size_t straight = 0;
  if (receive_ && receive_->combine == copy_bytes) {
    copy_bytes(receive_->into + read_, early_.get(), end_);  // less than a line
    read_ += std::exchange(end_, 0);
    into = receive_->into + read_;
    straight = std::min(receive_->bytes - read_, kPieceBytes);
  }
  iovec parts[2] = {{into, straight}, {early_.get() + end_, kEarlyBytes - end_}};
  const std::ptrdiff_t result = straight == 0 ? ::recv(socket_.get(), parts[1].iov_base, parts[1].iov_len, 0)
                                              : ::readv(socket_.get(), parts, 2);
  if (result == 0) ended_ = true;
  const auto read = static_cast<std::size_t>(moved_or_ended(result));
  read_ += std::min(read, straight);
  end_ += read - std::min(read, straight);
  return read > 0;
}

}  // namespace trireme::wire::tcp
