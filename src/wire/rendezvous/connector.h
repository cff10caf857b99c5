// The client's end of a handshake: connects to a peer, proves itself, checks the peer's proof, and tries
// again if it is not let in for lack of room.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "wire/rendezvous/address.h"
#include "wire/rendezvous/conversation.h"
#include "wire/rendezvous/handshake.h"

namespace trireme::wire::rendezvous {

class Connector {
 public:
  /// Asks the name service. Throws `Error` (bad input) for an unknown name.
  Connector(const Self& self, Hello::Kind kind, Rank to, const Address& address);

  [[nodiscard]] Rank to() const { return to_; }
  [[nodiscard]] Hello::Kind kind() const { return kind_; }
  /// "nobody answers at 10.0.0.7:4711 (Connection refused)": the state of an attempt that is not connected
  /// yet.
  [[nodiscard]] std::string whereabouts() const;

  void watch(PollSet& set) const;
  /// Throws `Error` if the peer has another secret or version, is not a node of the job, or refuses, with its
  /// reason.
  void move(const PollSet& set);

  /// The peer has let this node in.
  [[nodiscard]] bool is_connected() const { return state_ == State::kConnected; }
  [[nodiscard]] Conversation take() { return std::move(talk_); }

 private:
  enum class State { kResting, kConnecting, kAwaitsChallenge, kAwaitsWelcome, kConnected };

  void connect();
  void rest(int error);
  void say_hello();
  void hear_challenge();
  void hear_welcome();
  [[nodiscard]] Error mismatch(const std::string& what, const std::string& hint) const;

  const Self self_;
  const Hello::Kind kind_;
  const Rank to_;
  const Address address_;
  const std::vector<Endpoint> endpoints_;
  std::size_t tries_ = 0;
  int last_error_ = 0;
  Deadline::Clock::time_point next_try_{};
  State state_ = State::kResting;
  HelloBytes hello_{};
  Conversation talk_;
};

}  // namespace trireme::wire::rendezvous
