// A place in the network: a host, by name or number, and a port.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/fd.h"

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

/// A nonblocking socket that listens at the host's port, 0: any free one. An empty host: all interfaces.
/// Throws `Error` (bad input).
[[nodiscard]] Fd listen_at(const Address& address);

/// Likewise at an address that others were told. It must be one of this host's. One that is a name, and not
/// localhost, is taken for all interfaces: a host often knows itself by an address that only it can reach.
[[nodiscard]] Fd listen_as_told(const Address& address);
/// The port that a socket is bound to.
[[nodiscard]] std::uint16_t port_of(const Fd& socket);
/// The number of this host's interface by which it reaches that one, as others there can reach it.
[[nodiscard]] std::string own_host_towards(const std::string& host);
/// Connects, trying again while nobody listens there yet. Nonblocking, with TCP_NODELAY. Throws `Error` that
/// names the address and the time waited.
[[nodiscard]] Fd connect_to(const Address& address, const Deadline& deadline);

/// An address as the system takes it.
struct Endpoint {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

/// Where the host's name leads. Throws `Error` (bad input) that says which name is not known and why. Asks
/// the name service, which may take seconds.
[[nodiscard]] std::vector<Endpoint> resolve(const Address& address);

/// Begins to connect; it is decided when the socket can be written to. No socket: `errno` says why.
[[nodiscard]] Fd start_connecting(const Endpoint& endpoint);
/// How it was decided: 0 when it is connected (it has TCP_NODELAY from then on), else what `errno` would say.
[[nodiscard]] int finish_connecting(const Fd& socket);
/// The errors of connecting that may go away by themselves, because the other end is not there yet.
[[nodiscard]] bool is_worth_another_try(int error);

/// Who is at the other end of a connection.
struct Origin {
  std::string host;       ///< its number
  bool is_local = false;  ///< on this host
};
[[nodiscard]] Origin origin_of(const Fd& socket);
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace trireme::wire::rendezvous
