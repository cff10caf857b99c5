// Lets nodes of the job in and turns strangers away. A guest is a connection that has not proved yet that it
// knows the secret: there are few places for guests, each has little time, and nothing that it says is
// trusted.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/system/fd.h"
#include "wire/rendezvous/address.h"
#include "wire/rendezvous/conversation.h"
#include "wire/rendezvous/handshake.h"

namespace trireme::wire::rendezvous {

/// A node that knows the secret. It waits for a message that says whether it is welcome.
struct Visitor {
  Hello hello;
  Origin origin;
  Conversation talk;
};

/// Logs once per address that a stranger there was turned away, so that a port scan or a flood fills neither
/// the terminal nor the memory.
class StrangerLog {
 public:
  using Print = std::function<void(const std::string& line)>;

  static constexpr std::size_t kMostHosts = 256;  ///< from then on it logs nothing

  /// Lines have no newline at the end.
  explicit StrangerLog(Print print) : print_(std::move(print)) {}

  void turned_away(const std::string& host, std::string_view why);

  [[nodiscard]] const std::set<std::string>& hosts() const { return hosts_; }

 private:
  Print print_;
  std::set<std::string> hosts_;
};

void print_to_stderr(const std::string& line);

class Acceptor {
 public:
  struct Limits {
    std::size_t guests = 64;                  ///< at the same time
    std::chrono::milliseconds patience{50};   ///< with a silent guest while others wait for its place
    std::chrono::milliseconds longest{5000};  ///< for the whole proof
    std::size_t accepts = 256;                ///< in one turn, so that a flood does not delay everything else
  };

  /// `listener` is nonblocking.
  Acceptor(Fd listener, const Self& self, Limits limits, StrangerLog::Print print = print_to_stderr);

  void watch(PollSet& set) const;
  /// The nodes that have proved themselves since the last call.
  [[nodiscard]] std::vector<Visitor> move(const PollSet& set);

  [[nodiscard]] std::size_t guests() const { return guests_.size(); }
  /// The address of the last client that followed the protocol but had another secret.
  [[nodiscard]] const std::optional<std::string>& wrong_secret_at() const { return wrong_secret_at_; }
  [[nodiscard]] std::uint16_t port() const { return port_of(listener_); }

 private:
  using Clock = Deadline::Clock;

  struct Guest {
    Conversation talk;
    Origin origin;
    Clock::time_point came;
    Clock::time_point heard_last;  // when it connected, or completed its hello
    HelloBytes hello_bytes{};
    std::optional<Hello> hello{};
    Challenge challenge{};
  };
  enum class Verdict { kStays, kIsGone, kProved };

  void let_in();
  [[nodiscard]] Fd accept();
  [[nodiscard]] bool make_room();
  [[nodiscard]] Verdict judge(Guest& guest, const PollSet& set);
  [[nodiscard]] Verdict hear_hello(Guest& guest);
  [[nodiscard]] Verdict hear_answer(Guest& guest);
  Verdict turn_away(const Guest& guest, const char* why);

  Fd listener_;
  const Self self_;
  const Limits limits_;
  StrangerLog log_;
  std::list<Guest> guests_;  // in the order of `came`
  std::optional<std::string> wrong_secret_at_;
};

}  // namespace trireme::wire::rendezvous
