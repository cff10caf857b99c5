#include "wire/rendezvous/connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

// Short at first, because usually the other end is just starting.
Clock::duration rest_after(std::size_t tries) {
  return std::min<Clock::duration>(5ms * (std::size_t{1} << std::min<std::size_t>(tries, 6)), 200ms);
}

}  // namespace

Connector::Connector(const Self& self, Hello::Kind kind, Rank to, const Address& address)
    : self_(self), kind_(kind), to_(to), address_(address), endpoints_(resolve(address)) {
  connect();
}

std::string Connector::whereabouts() const {
  switch (state_) {
    case State::kResting:
    case State::kConnecting:
      return last_error_ == 0
                 ? fmt::format("nobody answers at {}", to_string(address_))
                 : fmt::format("nobody answers at {} ({})", to_string(address_), std::strerror(last_error_));
    case State::kAwaitsChallenge:
    case State::kAwaitsWelcome:
      return fmt::format("somebody listens at {} but does not answer", to_string(address_));
    case State::kConnected:
      break;
  }
  return fmt::format("it is there, at {}", to_string(address_));
}

void Connector::watch(PollSet& set) const {
  switch (state_) {
    case State::kResting:
      set.wake_at(next_try_);
      break;
    case State::kConnecting:
      set.watch(talk_.socket().get(), POLLOUT);
      break;
    case State::kAwaitsChallenge:
    case State::kAwaitsWelcome:
      talk_.watch(set);
      break;
    case State::kConnected:
      break;
  }
}

void Connector::move(const PollSet& set) {
  if (state_ == State::kResting) {
    if (Clock::now() >= next_try_) connect();
    return;
  }
  if (state_ == State::kConnected || !talk_.is_ready(set)) return;
  talk_.move();
  if (state_ == State::kConnecting) {
    say_hello();
  } else if (state_ == State::kAwaitsChallenge) {
    hear_challenge();
  } else {
    hear_welcome();
  }
}

void Connector::connect() {
  Fd socket = start_connecting(endpoints_[tries_ % endpoints_.size()]);
  if (!socket) return rest(errno);
  talk_ = Conversation(std::move(socket));
  state_ = State::kConnecting;
}

void Connector::rest(int error) {
  if (!is_worth_another_try(error) && (tries_ + 1) % endpoints_.size() == 0) {
    errno = error;
    throw_errno(fmt::format("connect to rank {} at {}", to_, to_string(address_)));
  }
  last_error_ = error;
  talk_ = Conversation();
  state_ = State::kResting;
  next_try_ = Clock::now() + rest_after(tries_++);
}

void Connector::say_hello() {
  if (const int error = finish_connecting(talk_.socket()); error != 0) return rest(error);
  hello_ = to_bytes(Hello{self_.version, kind_, self_.rank, to_, self_.size, random_nonce()});
  talk_.say(hello_);
  state_ = State::kAwaitsChallenge;
}

void Connector::hear_challenge() {
  const bool is_whole = talk_.hear(sizeof(ChallengeBytes));
  if (!may_begin_challenge(talk_.heard())) {
    throw mismatch("what listens there is no node of Trireme", "look at the address");
  }
  if (!is_whole) {
    if (talk_.is_over()) rest(ECONNRESET);
    return;
  }
  const Challenge challenge = *parse_challenge(talk_.heard());
  talk_.forget();
  if (!proves(*self_.secret, hello_, challenge)) {
    talk_.say(no_answer());
    throw mismatch("its secret is another one than this node's",
                   "give the same secret to all nodes of the job");
  }
  talk_.say(make_answer(*self_.secret, hello_, challenge));
  if (challenge.version != self_.version) {
    throw mismatch(fmt::format("it speaks version {} of the protocol, this node version {}",
                               challenge.version, self_.version),
                   "start the same build of the program everywhere");
  }
  state_ = State::kAwaitsWelcome;
}

void Connector::hear_welcome() {
  const std::optional<Message> message = talk_.hear_message(self_.size);
  if (!message) {
    if (talk_.is_over()) rest(ECONNRESET);
    return;
  }
  if (message->kind == Message::Kind::kWelcome) {
    state_ = State::kConnected;
    return;
  }
  Failure failure = parse_failure(message->body).value_or(Failure{});
  if (message->kind != Message::Kind::kRefusal || failure.what.empty()) {
    throw mismatch("it sent an unknown message", "start the same build of the program everywhere");
  }
  failure.rank = self_.rank;
  failure.peer = to_;
  throw Error(std::move(failure));
}

Error Connector::mismatch(const std::string& what, const std::string& hint) const {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.what = fmt::format("rank {} is sought at {}, but {}", to_, to_string(address_), what);
  failure.rank = self_.rank;
  failure.peer = to_;
  failure.hint = hint;
  return Error(std::move(failure));
}

}  // namespace trireme::wire::rendezvous
