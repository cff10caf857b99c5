// An address in the network: a host, by name or number, and a port.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/system/fd.h"

namespace trireme::wire::rendezvous {

struct Address {
  static constexpr std::size_t kMostHostCharacters = 255;

  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const Address&, const Address&) = default;
};

/// "host:port", "[::1]:port". Throws `Error` (bad input) that names `what` ("--meet") and the text.
[[nodiscard]] Address parse_address(std::string_view text, std::string_view what);
[[nodiscard]] std::string to_string(const Address& address);

/// A nonblocking socket that listens at the host's port; 0 means any free port. An empty host means all
/// interfaces. Throws `Error` (bad input).
[[nodiscard]] Fd listen_at(const Address& address);

/// The same at an address that other nodes were told. It must be an address of this host. If it is a name
/// other than localhost, listens on all interfaces: a host often resolves its own name to an address that
/// only it can reach.
[[nodiscard]] Fd listen_as_told(const Address& address);
/// The port that a socket is bound to.
[[nodiscard]] std::uint16_t port_of(const Fd& socket);
/// The number of the interface by which this host reaches that one, as others there can reach it.
[[nodiscard]] std::string own_host_towards(const std::string& host);
/// Connects, and tries again while nobody listens there yet. The socket is nonblocking, with TCP_NODELAY.
/// Throws `Error` that names the address and the time waited.
[[nodiscard]] Fd connect_to(const Address& address, const Deadline& deadline);

/// An address in the form that the system uses.
struct Endpoint {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

/// The addresses of the host's name. Throws `Error` (bad input) that says which name is unknown and why. Asks
/// the name service, which may take seconds.
[[nodiscard]] std::vector<Endpoint> resolve(const Address& address);

/// Starts to connect; the result is known when the socket is writable. No socket: `errno` has the reason.
[[nodiscard]] Fd start_connecting(const Endpoint& endpoint);
/// The result: 0 if connected (the socket has TCP_NODELAY from then on), otherwise an `errno` value.
[[nodiscard]] int finish_connecting(const Fd& socket);
/// Connection errors that may disappear by themselves, because the other end is not there yet.
[[nodiscard]] bool is_worth_another_try(int error);

/// The other end of a connection.
struct Origin {
  std::string host;       ///< its number
  bool is_local = false;  ///< is on this host
};
[[nodiscard]] Origin origin_of(const Fd& socket);
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace trireme::wire::rendezvous
