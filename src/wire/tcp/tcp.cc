#include "wire/tcp/tcp.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trireme::wire::tcp {
namespace {

using namespace std::chrono_literals;

// How often a node looks before it sleeps: for about 100 µs where every node has a core of its own, but only
// the first times where other processes want it; most small messages come then. With more nodes than cores
// looking would keep the one from running that it waits for: it gives way, which takes half as long as to
// sleep and be woken (4 nodes on 2 cores).
constexpr Looks kLooks{.eager = 20, .least = 200, .most = 200, .contended = 20, .yields = 0};
constexpr Looks kLooksWhenCrowded{.eager = 2, .least = 2, .most = 2, .contended = 2, .yields = 100};
// A node that never waits for long must hear what the others say all the same, before they fill its
// connections.
constexpr std::uint32_t kHearEvery = 64;

// A rank that the job does not have says nothing.
Failure in_this_job(Failure failure, Rank size) {
  for (std::optional<Rank>* rank : {&failure.rank, &failure.peer, &failure.culprit}) {
    if (*rank && **rank >= size) rank->reset();
  }
  return failure;
}

std::string host_of(const sockaddr_storage& address) {
  std::array<char, NI_MAXHOST> host{};
  const int error = ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof(address), host.data(),
                                  host.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? host.data() : std::string();
}

// Inside a host there is no network to be careful with, and pacing, as some systems have it by default, only
// costs time: a sixth of 1 MiB and more. Best effort.
void hurry_inside_host(const Fd& socket) {
  constexpr std::string_view kWithoutPacing = "reno";
  sockaddr_storage own_end{};
  sockaddr_storage other_end{};
  socklen_t own_length = sizeof(own_end);
  socklen_t other_length = sizeof(other_end);
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own_end), &own_length) != 0 ||
      ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&other_end), &other_length) != 0 ||
      host_of(own_end) != host_of(other_end)) {
    return;
  }
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, kWithoutPacing.data(),
               static_cast<socklen_t>(kWithoutPacing.size()));
}

}  // namespace

// The bytes of one batch, or of everything that is posted.
class TcpWire::BatchAwaited final : public Awaited {
 public:
  BatchAwaited(TcpWire& wire, const Batch* batch) : wire_(wire), batch_(batch) {}

  bool arrived() override {
    wire_.move();
    return batch_ == nullptr ? !wire_.is_posted() : batch_->complete();
  }
  [[nodiscard]] Transfer missing(const Roster& /*roster*/) const override { return wire_.missing(batch_); }

 private:
  TcpWire& wire_;
  const Batch* batch_;  // null: everything
};

// Something else than messages, which move on.
class TcpWire::OtherAwaited final : public Awaited {
 public:
  OtherAwaited(TcpWire& wire, Awaited& awaited) : wire_(wire), awaited_(awaited) {}

  bool arrived() override {
    wire_.move();
    return awaited_.arrived();
  }
  [[nodiscard]] Transfer missing(const Roster& roster) const override { return awaited_.missing(roster); }

 private:
  TcpWire& wire_;
  Awaited& awaited_;
};

// Until it is known who shares this host a node does not spin, nor give way.
TcpWire::TcpWire(Rank rank, std::vector<rendezvous::Link> links)
    : JobWire(static_cast<Rank>(links.size())),
      Waiter(rank, roster_, /*crowded=*/true, {.eager = 2, .least = 2, .most = 2}, kTellAfter),
      rank_(rank),
      process_(::getpid()),
      streams_(links.size()),
      controls_(links.size()),
      roster_(static_cast<Rank>(links.size())),
      words_(own(::epoll_create1(EPOLL_CLOEXEC), "watch connections")) {
  for (std::size_t peer = 0; peer < links.size(); ++peer) {
    if (peer == idx(rank)) continue;
    hurry_inside_host(links[peer].data);
    listen_to(links[peer].control, static_cast<Rank>(peer));
    streams_[peer] = Stream(std::move(links[peer].data), rank);
    controls_[peer].socket = std::move(links[peer].control);
  }
}

TcpWire::~TcpWire() {
  if (left_ || ::getpid() != process_) return;
  say({.kind = Word::Kind::kBye});
  for (Stream& stream : streams_) stream.close();
}

void TcpWire::settle_in(std::shared_ptr<shm::Segment> host, std::int64_t nodes) {
  spreading_.emplace(std::move(host), rank_);
  const bool crowded = nodes > spreading_->cores();
  set_looks(crowded, crowded ? kLooksWhenCrowded : kLooks);
}

// Edge-triggered: what comes after a peer's last word wakes nobody for ever.
void TcpWire::listen_to(const Fd& control, Rank peer) {
  epoll_event event{.events = EPOLLIN | EPOLLRDHUP | EPOLLET,
                    .data = {.u32 = static_cast<std::uint32_t>(peer)}};
  if (::epoll_ctl(words_.get(), EPOLL_CTL_ADD, control.get(), &event) != 0) throw_errno("watch a connection");
}

void TcpWire::require_here() const {
  if (left_) throw gone(rank_, roster_);
}

void TcpWire::post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                           std::span<const std::byte> from) {
  require_here();
  ++batch.outstanding;
  Stream& stream = streams_[idx(to)];
  stream.post_send({.batch = &batch, .channel = &channel, .peer = to, .id = id, .bytes = from.size()},
                   from.data());
  stream.move();
}

void TcpWire::post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                              Combine combine) {
  require_here();
  ++batch.outstanding;
  streams_[idx(from)].post_receive({&batch, &channel, from, id, into.size(), into.data(), combine});
}

void TcpWire::move() {
  for (Stream& stream : streams_) {
    if (!stream.idle()) stream.move();
  }
}

bool TcpWire::is_posted() const {
  return !std::ranges::all_of(streams_, [](const Stream& stream) { return stream.idle(); });
}

Transfer TcpWire::missing(const Batch* batch) const {
  const auto is_gone = [&](Rank peer) { return presence_of(peer) == Presence::kGone; };
  Transfer found{.peer = rank_};
  for (const Stream& stream : streams_) {
    stream.for_each_posted([&](const Transfer& transfer) {
      if (batch != nullptr && transfer.batch != batch) return;
      const bool better = !is_gone(found.peer) && is_gone(transfer.peer);
      if (found.batch == nullptr || better) found = transfer;
    });
  }
  return found;
}

// Bytes that a peer sent before it went are read first; and the reason why it went is known when its control
// connection is at its end, too.
Presence TcpWire::presence_of(Rank peer) const {
  if (peer == rank_ || !streams_[idx(peer)].ended()) return Presence::kHere;
  return controls_[idx(peer)].settled ? Presence::kGone : Presence::kLeaving;
}

void TcpWire::progress() {
  BatchAwaited everything(*this, nullptr);
  if (everything.arrived()) return;
  hear();
  require_present(everything);
}

void TcpWire::wait(const Batch& batch, const Deadline& deadline) {
  hear_now_and_then();
  BatchAwaited awaited(*this, &batch);
  wait_for(awaited, deadline);
}

void TcpWire::wait_until(Awaited& awaited, const Deadline& deadline) {
  hear_now_and_then();
  OtherAwaited moving(*this, awaited);
  wait_for(moving, deadline);
}

void TcpWire::hear_now_and_then() {
  if (++waits_ % kHearEvery == 0) hear();
}

void TcpWire::on_first_looks_in_vain() {
  if (spreading_) spreading_->look();
}

// The data connections are watched only by who sleeps on them: all the time, as the few words are, it would
// cost each message a twentieth of its time.
void TcpWire::sleep(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const auto timeout = std::clamp<std::chrono::milliseconds>(left, 0ms, 1000ms);
  watched_.assign(1, {.fd = words_.get(), .events = POLLIN, .revents = 0});
  for (const Stream& stream : streams_) {
    const short awaited = stream.awaited_events();
    if (awaited != 0) watched_.push_back({.fd = stream.socket().get(), .events = awaited, .revents = 0});
  }
  ::poll(watched_.data(), watched_.size(), static_cast<int>(timeout.count()));
  hear();
}

void TcpWire::hear() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(words_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) hear(static_cast<Rank>(events[idx(i)].data.u32));
}

// Reads all that has come over a control connection.
void TcpWire::hear(Rank peer) {
  Control& control = controls_[idx(peer)];
  std::array<std::byte, WordReader::kMostBytes> bytes;
  while (!control.settled) {
    const ssize_t count = ::recv(control.socket.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
      control.settled = true;
      if (!roster_.has_left(peer)) roster_.mark_dead(peer, 0);
      return;
    }
    std::vector<Word> words;
    control.reader.take(std::span(bytes).first(idx(count)), words);
    for (const Word& word : words) handle(peer, word);
  }
}

void TcpWire::handle(Rank peer, const Word& word) {
  switch (word.kind) {
    case Word::Kind::kWaits:
      if (word.peer >= size()) return;
      return word.peer < 0 ? roster_.waits_no_more(peer) : roster_.waits_for(peer, word.peer);
    case Word::Kind::kFails:
      roster_.fail(in_this_job(word.failure, size()));
      [[fallthrough]];
    case Word::Kind::kBye:
      roster_.leave(peer);
      controls_[idx(peer)].settled = true;
  }
}

void TcpWire::tell_waits_for(Rank peer) { say({.kind = Word::Kind::kWaits, .peer = peer}); }

void TcpWire::say(const Word& word) noexcept {
  const std::vector<std::byte> bytes = word.encode();
  for (Rank peer = 0; peer < size(); ++peer) {
    if (peer != rank_) say(peer, bytes);
  }
}

// A peer that does not read even these few bytes is past help; half a word would be nonsense, so the
// connection ends there.
void TcpWire::say(Rank peer, std::span<const std::byte> bytes) noexcept {
  const Fd& socket = controls_[idx(peer)].socket;
  const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent != static_cast<ssize_t>(bytes.size())) ::shutdown(socket.get(), SHUT_WR);
}

void TcpWire::leave(const Failure& reason) noexcept {
  if (std::exchange(left_, true) || ::getpid() != process_) return;
  Failure told = reason;
  if (!told.rank) told.rank = rank_;
  roster_.fail(told);
  if (launcher_) launcher_->fail(*roster_.first_failure());
  say({.kind = Word::Kind::kFails, .failure = *roster_.first_failure()});
  for (Stream& stream : streams_) stream.close();
}

}  // namespace trireme::wire::tcp
