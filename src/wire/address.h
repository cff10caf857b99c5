// A place in the network: a host, by name or number, and a port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "base/fd.h"

namespace trireme {

struct Address {
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
/// The port that a socket is bound to.
[[nodiscard]] std::uint16_t port_of(const Fd& socket);
/// The number of this host's interface by which it reaches that one, as others there can reach it.
[[nodiscard]] std::string own_host_towards(const std::string& host);
/// Connects, trying again while nobody listens there yet. Nonblocking, with TCP_NODELAY. Throws `Error` that
/// names the address and the time waited.
[[nodiscard]] Fd connect_to(const Address& address, const Deadline& deadline);

}  // namespace trireme
