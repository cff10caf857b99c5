#include "wire/rendezvous/acceptor.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/system/output.h"

namespace trireme::wire::rendezvous {
namespace {

void send_without_delay(const Fd& socket) {
  const int yes = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

}  // namespace

void StrangerLog::turned_away(const std::string& host, std::string_view why) {
  if (hosts_.size() >= kMostHosts || !hosts_.insert(host).second) return;
  print_(fmt::format("trireme: a stranger at {} was turned away: {}", host, why));
}

void print_to_stderr(const std::string& line) { write_error(line + "\n"); }

Acceptor::Acceptor(Fd listener, const Self& self, Limits limits, StrangerLog::Print print)
    : listener_(std::move(listener)), self_(self), limits_(limits), log_(std::move(print)) {}

void Acceptor::watch(PollSet& set) const {
  for (const Guest& guest : guests_) guest.talk.watch(set);
  if (!guests_.empty()) set.wake_at(guests_.front().came + limits_.longest);
  if (guests_.size() < limits_.guests) {
    set.watch(listener_.get(), POLLIN);
  } else {
    // New connections wait in the kernel's queue, which has its own limit.
    const auto quiet = std::ranges::min_element(guests_, {}, &Guest::heard_last);
    set.wake_at(quiet->heard_last + limits_.patience);
  }
}

std::vector<Visitor> Acceptor::move(const PollSet& set) {
  std::vector<Visitor> visitors;
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const Verdict verdict = judge(*guest, set);
    if (verdict == Verdict::kProved) {
      visitors.push_back({*guest->hello, std::move(guest->origin), std::move(guest->talk)});
    }
    guest = verdict == Verdict::kStays ? std::next(guest) : guests_.erase(guest);
  }
  let_in();
  return visitors;
}

void Acceptor::let_in() {
  for (std::size_t turn = 0; turn < limits_.accepts; ++turn) {
    if (guests_.size() >= limits_.guests && !make_room()) return;
    Fd socket = accept();
    if (!socket) return;
    const Origin origin = origin_of(socket);
    const auto now = Clock::now();
    guests_.push_back(
        {.talk = Conversation(std::move(socket)), .origin = origin, .came = now, .heard_last = now});
  }
}

// Returns no socket when no connection waits.
Fd Acceptor::accept() {
  while (true) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      Fd socket = own(fd, "let nodes in");
      send_without_delay(socket);
      return socket;
    }
    if (errno == EMFILE || errno == ENFILE) {
      if (guests_.empty()) throw_errno("let nodes in", "raise the limit: see ulimit -n");
      guests_.pop_front();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return {};
    }
  }
}

// The guest is not logged as a stranger: it may be a slow node of this job, which will try again.
bool Acceptor::make_room() {
  const auto quiet = std::ranges::min_element(guests_, {}, &Guest::heard_last);
  if (Clock::now() - quiet->heard_last < limits_.patience) return false;
  guests_.erase(quiet);
  return true;
}

Acceptor::Verdict Acceptor::judge(Guest& guest, const PollSet& set) {
  if (guest.talk.is_ready(set)) {
    guest.talk.move();
    const Verdict verdict = guest.hello ? hear_answer(guest) : hear_hello(guest);
    if (verdict != Verdict::kStays) return verdict;
    if (guest.talk.is_over()) return Verdict::kIsGone;
  }
  if (Clock::now() - guest.came < limits_.longest) return Verdict::kStays;
  return turn_away(guest, "it has not proved in time that it knows the job's secret");
}

Acceptor::Verdict Acceptor::hear_hello(Guest& guest) {
  const bool is_whole = guest.talk.hear(sizeof(HelloBytes));
  if (!may_begin_hello(guest.talk.heard()))
    return turn_away(guest, "it does not speak the protocol of Trireme");
  if (!is_whole) return Verdict::kStays;
  guest.hello = parse_hello(guest.talk.heard());
  if (!guest.hello) return turn_away(guest, "it does not speak the protocol of Trireme");
  std::ranges::copy(guest.talk.heard(), guest.hello_bytes.begin());
  guest.talk.forget();
  guest.challenge = make_challenge(*self_.secret, guest.hello_bytes, self_.version);
  guest.talk.say(to_bytes(guest.challenge));
  guest.heard_last = Clock::now();
  return Verdict::kStays;
}

Acceptor::Verdict Acceptor::hear_answer(Guest& guest) {
  if (!guest.talk.hear(sizeof(AnswerBytes))) return Verdict::kStays;
  AnswerBytes answer{};
  std::ranges::copy(guest.talk.heard(), answer.begin());
  guest.talk.forget();
  if (answers(*self_.secret, guest.hello_bytes, guest.challenge, answer)) return Verdict::kProved;
  wrong_secret_at_ = guest.origin.host;
  return turn_away(guest, "it does not know the job's secret");
}

Acceptor::Verdict Acceptor::turn_away(const Guest& guest, const char* why) {
  log_.turned_away(guest.origin.host, why);
  return Verdict::kIsGone;
}

}  // namespace trireme::wire::rendezvous
