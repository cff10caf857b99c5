// The orders of the launcher to the agent of one host, over its standard input; the first is its task.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/system/fd.h"
#include "base/types.h"

namespace trireme::launch::ssh {

/// The work of one agent. It holds the secret of the job: never to be shown.
struct HostTask {
  Rank first_rank = 0;
  Rank nodes = 1;
  Rank job_size = 1;
  std::optional<std::chrono::nanoseconds> timeout{};  ///< as in `JobOptions`
  std::string secret{};
  std::string wire{};                ///< empty: the program decides
  std::string folder{};              ///< where the nodes run, if it is there
  std::string meet{};                ///< "host:port" that was asked for; empty: the agent of rank 0 finds one
  std::vector<std::string> hosts{};  ///< the names of all
  std::vector<std::string> program{};
};

/// The nodes are to start; they meet there.
struct MeetOrder {
  std::string address;
};
/// A signal for all nodes.
struct SignalOrder {
  int signal = 0;
};
/// A node has ended, on whichever host.
struct EndedOrder {
  Rank rank = 0;
};
using Order = std::variant<HostTask, MeetOrder, SignalOrder, EndedOrder>;

[[nodiscard]] std::string encode(const Order& order);

/// Sends orders into a pipe whose reader may be slow, without ever waiting for it.
class OrderWriter {
 public:
  explicit OrderWriter(Fd pipe);

  void add(const Order& order) { waiting_ += encode(order); }
  /// Writes as much as the pipe takes at once. Orders that nobody reads any more are thrown away.
  void write_some();

 private:
  Fd pipe_;
  std::string waiting_;
};

/// Cuts a stream of bytes into orders. An order that cannot be read throws `Error`: the launcher is of
/// another version.
class OrderReader {
 public:
  [[nodiscard]] std::vector<Order> take(std::string_view bytes);

 private:
  std::string unread_;
};

}  // namespace trireme::launch::ssh
