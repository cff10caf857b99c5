// Nodes that are connected by TCP on this host, without a meeting.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>
#include <vector>

#include "base/system/fd.h"
#include "base/types.h"
#include "wire/rendezvous/rendezvous.h"

namespace trireme::wire::tcp {

/// Two ends of a connection over loopback.
inline std::pair<Fd, Fd> connected_pair() {
  const Fd listener = own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "listen");
  const int yes = 1;  // many tests one after the other: ports of closed connections may be used again
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  Fd one = own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "connect");
  EXPECT_EQ(::connect(one.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  Fd other = own(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept");
  for (const Fd* fd : {&one, &other}) {
    ::setsockopt(fd->get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    set_nonblocking(*fd);
  }
  return {std::move(one), std::move(other)};
}

/// By rank, what each node has: links by rank.
inline std::vector<std::vector<rendezvous::Link>> connected_nodes(Rank nodes) {
  std::vector<std::vector<rendezvous::Link>> links(idx(nodes));
  for (auto& row : links) row.resize(idx(nodes));
  for (std::size_t i = 0; i < idx(nodes); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::tie(links[i][j].data, links[j][i].data) = connected_pair();
      std::tie(links[i][j].control, links[j][i].control) = connected_pair();
    }
  }
  return links;
}

}  // namespace trireme::wire::tcp
