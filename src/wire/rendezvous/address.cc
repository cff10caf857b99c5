#include "wire/rendezvous/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "wire/rendezvous/poll_set.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;

constexpr auto kRest = 20ms;  // between two attempts to connect

Error bad_address(std::string_view what, std::string_view text, std::string_view wrong) {
  return bad_input(fmt::format("{}: '{}' {}", what, printable(text), wrong),
                   "give host:port, like 10.0.0.7:4711 or [::1]:4711");
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

AddressList look_up(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list);
  if (error == 0) return AddressList(list);
  throw bad_input(fmt::format("no address is known for the host '{}': {}", printable(host),
                              error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error)),
                  "check its spelling, or give its IP address");
}

Endpoint endpoint_of(const sockaddr* address, socklen_t length) {
  Endpoint endpoint;
  std::memcpy(&endpoint.storage, address, length);
  endpoint.length = length;
  return endpoint;
}

// One socket for both IPv6 and IPv4, if the system has IPv6.
std::vector<Endpoint> all_interfaces(std::uint16_t port) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_any;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  return {endpoint_of(reinterpret_cast<const sockaddr*>(&six), sizeof(six)),
          endpoint_of(reinterpret_cast<const sockaddr*>(&four), sizeof(four))};
}

const sockaddr* raw(const Endpoint& endpoint) { return reinterpret_cast<const sockaddr*>(&endpoint.storage); }

void set_option(const Fd& socket, int level, int option, int value) {
  ::setsockopt(socket.get(), level, option, &value, sizeof(value));
}

// No socket: `errno` has the reason.
Fd make_socket(const Endpoint& endpoint, int type) {
  const int fd = ::socket(endpoint.storage.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return fd < 0 ? Fd() : own(fd, "make a socket");
}

// No socket: `errno` has the reason.
Fd listen_on(const Endpoint& endpoint) {
  Fd socket = make_socket(endpoint, SOCK_STREAM);
  if (!socket) return socket;
  // A job that is restarted need not wait for connections of the last one; two listeners are still
  // impossible.
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  if (endpoint.storage.ss_family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (::bind(socket.get(), raw(endpoint), endpoint.length) != 0) return {};
  if (::listen(socket.get(), SOMAXCONN) != 0) return {};
  return socket;
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);

Endpoint name_of(const Fd& socket, NameOf name) {
  Endpoint endpoint;
  endpoint.length = sizeof(endpoint.storage);
  if (name(socket.get(), reinterpret_cast<sockaddr*>(&endpoint.storage), &endpoint.length) != 0) return {};
  return endpoint;
}

// As a number; an IPv4 address that came through IPv6 is written as IPv4.
std::string host_of(const Endpoint& endpoint) {
  std::array<char, NI_MAXHOST> host{};
  if (endpoint.length == 0 || ::getnameinfo(raw(endpoint), endpoint.length, host.data(), host.size(), nullptr,
                                            0, NI_NUMERICHOST) != 0) {
    return "an unknown address";
  }
  std::string text = host.data();
  constexpr std::string_view kMapped = "::ffff:";
  const bool is_mapped = text.starts_with(kMapped) && text.find('.') != std::string::npos;
  return is_mapped ? text.substr(kMapped.size()) : text;
}

std::uint16_t port_of(const Endpoint& endpoint) {
  const auto& four = reinterpret_cast<const sockaddr_in&>(endpoint.storage);
  const auto& six = reinterpret_cast<const sockaddr_in6&>(endpoint.storage);
  return ntohs(endpoint.storage.ss_family == AF_INET6 ? six.sin6_port : four.sin_port);
}

// A connection to a port of this host without a listener can connect to itself: TCP allows opening from both
// ends.
bool is_connected_to_itself(const Fd& socket) {
  const Endpoint here = name_of(socket, ::getsockname);
  const Endpoint there = name_of(socket, ::getpeername);
  return here.length == there.length && std::memcmp(&here.storage, &there.storage, here.length) == 0;
}

// Returns 0 when the socket is connected.
int connect_once(Fd& socket, const Endpoint& endpoint, const Deadline& deadline) {
  socket = start_connecting(endpoint);
  if (!socket) return errno;
  PollSet set;
  set.watch(socket.get(), POLLOUT);
  set.wait(deadline);
  return set.is_ready(socket.get()) ? finish_connecting(socket) : ETIMEDOUT;
}

Error cannot_connect(const Address& address, int error, const Deadline& deadline) {
  Failure failure;
  failure.cause = is_worth_another_try(error) ? Failure::Cause::kTimeout : Failure::Cause::kBadInput;
  failure.what = fmt::format("nobody could be reached at {}: {}", to_string(address), std::strerror(error));
  failure.elapsed = deadline.elapsed();
  failure.hint = "check that a process listens there, and that no firewall is in between";
  return Error(std::move(failure));
}

}  // namespace

Address parse_address(std::string_view text, std::string_view what) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) throw bad_address(what, text, "has no port");
  std::string_view host = text.substr(0, colon);
  const bool in_brackets = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty()) throw bad_address(what, text, "has no host");
  if (host.size() > Address::kMostHostCharacters ||
      host.find_first_of(" \t\r\n/[]@") != std::string_view::npos) {
    throw bad_address(what, text, "does not name a host");
  }
  if (!in_brackets && host.find(':') != std::string_view::npos) {
    throw bad_address(what, text, "has several colons; an IPv6 address stands in brackets");
  }
  const std::string_view port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos ||
      std::stoul(std::string(port)) > UINT16_MAX) {
    throw bad_address(what, text, "has no port from 0 to 65535");
  }
  return {std::string(host), static_cast<std::uint16_t>(std::stoul(std::string(port)))};
}

std::string to_string(const Address& address) {
  const bool is_six = address.host.find(':') != std::string::npos;
  const std::string host = is_six ? fmt::format("[{}]", address.host) : address.host;
  return fmt::format("{}:{}", host, address.port);
}

std::vector<Endpoint> resolve(const Address& address) {
  const AddressList list = look_up(address.host, address.port);
  std::vector<Endpoint> endpoints;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    endpoints.push_back(endpoint_of(one->ai_addr, one->ai_addrlen));
  }
  return endpoints;
}

Fd listen_at(const Address& address) {
  int error = 0;
  for (const Endpoint& endpoint : address.host.empty() ? all_interfaces(address.port) : resolve(address)) {
    if (Fd socket = listen_on(endpoint)) return socket;
    error = errno;
  }
  errno = error;
  throw_errno(fmt::format("listen at {}",
                          address.host.empty() ? fmt::format("port {}", address.port) : to_string(address)),
              error == EADDRINUSE      ? "another program listens there: give another port"
              : error == EADDRNOTAVAIL ? "give an address of this host"
                                       : "");
}

Fd listen_as_told(const Address& address) {
  in6_addr numbers{};
  const bool is_name = ::inet_pton(AF_INET, address.host.c_str(), &numbers) != 1 &&
                       ::inet_pton(AF_INET6, address.host.c_str(), &numbers) != 1 &&
                       address.host != "localhost";
  if (!is_name) return listen_at(address);
  (void)listen_at({address.host, 0});  // throws if the address belongs to another host
  return listen_at({"", address.port});
}

std::uint16_t port_of(const Fd& socket) { return port_of(name_of(socket, ::getsockname)); }

std::string own_host_towards(const std::string& host) {
  constexpr std::uint16_t kAnyPort = 9;  // nothing is sent
  int error = 0;
  for (const Endpoint& endpoint : resolve({host, kAnyPort})) {
    const Fd socket = make_socket(endpoint, SOCK_DGRAM);
    if (socket && ::connect(socket.get(), raw(endpoint), endpoint.length) == 0) {
      return host_of(name_of(socket, ::getsockname));
    }
    error = errno;
  }
  errno = error;
  throw_errno(fmt::format("find a way to the host '{}'", host), "look at this host's network");
}

Fd start_connecting(const Endpoint& endpoint) {
  Fd socket = make_socket(endpoint, SOCK_STREAM);
  if (!socket) return socket;
  if (::connect(socket.get(), raw(endpoint), endpoint.length) == 0) return socket;
  // After a signal the connection attempt continues by itself, as after EINPROGRESS.
  return errno == EINPROGRESS || errno == EINTR ? std::move(socket) : Fd();
}

int finish_connecting(const Fd& socket) {
  int error = 0;
  socklen_t length = sizeof(error);
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  if (error != 0) return error;
  if (is_connected_to_itself(socket)) return ECONNREFUSED;
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  return 0;
}

bool is_worth_another_try(int error) {
  constexpr std::array kPassing = {ECONNREFUSED, ECONNRESET,  ECONNABORTED,  ETIMEDOUT,
                                   EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAGAIN};
  return std::find(kPassing.begin(), kPassing.end(), error) != kPassing.end();
}

Fd connect_to(const Address& address, const Deadline& deadline) {
  const std::vector<Endpoint> endpoints = resolve(address);
  for (std::size_t turn = 0;; ++turn) {
    Fd socket;
    const int error = connect_once(socket, endpoints[turn % endpoints.size()], deadline);
    if (error == 0) return socket;
    const bool is_last = (turn + 1) % endpoints.size() == 0;
    if (deadline.expired() || (is_last && !is_worth_another_try(error))) {
      throw cannot_connect(address, error, deadline);
    }
    if (is_last) std::this_thread::sleep_until(std::min(Deadline::Clock::now() + kRest, deadline.end()));
  }
}

Origin origin_of(const Fd& socket) {
  const std::string there = host_of(name_of(socket, ::getpeername));
  return {there, is_loopback(there) || there == host_of(name_of(socket, ::getsockname))};
}

bool is_loopback(const std::string& host) { return host == "::1" || host.starts_with("127."); }

}  // namespace trireme::wire::rendezvous
