// Shared by the tests of meetings: nodes as threads, and strangers that send anything.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "wire/rendezvous/handshake.h"
#include "wire/rendezvous/rendezvous.h"
#include "wire/wire_test_util.h"

namespace trireme::wire::rendezvous {

/// The result of a meeting for one node.
struct Attendance {
  Met met;
  std::optional<Failure> failure;
};

/// A job in which each node may be given a wrong setting.
class TestMeeting {
 public:
  explicit TestMeeting(Rank size) : size_(size) {}

  [[nodiscard]] Address address() const { return {"127.0.0.1", port_}; }
  [[nodiscard]] const Secret& secret() const { return secret_; }
  [[nodiscard]] static Bytes card(Rank rank) { return pattern(100, rank); }

  struct Node {
    Rank rank = 0;
    std::optional<Rank> size{};
    std::optional<Secret> secret{};
    std::uint32_t version = kProtocolVersion;
    std::chrono::milliseconds time{60'000};
    std::function<bool(Rank)> has_ended{};
  };

  /// Runs one node in the calling thread. Rank 0 only once.
  Attendance attend(const Node& node) {
    Attendance attendance;
    MeetingPlace place{node.rank, node.size.value_or(size_), address(), {}, node.has_ended};
    if (node.rank == 0) place.listener = std::move(listener_);
    try {
      attendance.met = meet(std::move(place), node.secret.value_or(secret_), card(node.rank),
                            Deadline::after(node.time), node.version);
    } catch (const Error& error) {
      attendance.failure = error.failure();
    }
    return attendance;
  }

  /// Runs all of these, each in its own thread.
  std::vector<Attendance> attend_all(const std::vector<Node>& nodes) {
    std::vector<Attendance> attendances(nodes.size());
    std::vector<std::function<void()>> threads;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      threads.emplace_back([&, i] { attendances[i] = attend(nodes[i]); });
    }
    on_threads(threads);
    return attendances;
  }

  [[nodiscard]] std::vector<Node> nodes() const {
    std::vector<Node> all;
    for (Rank rank = 0; rank < size_; ++rank) all.push_back({.rank = rank});
    return all;
  }

 private:
  const Rank size_;
  const Secret secret_ = Secret::random();
  Fd listener_ = listen_at({"127.0.0.1", 0});
  const std::uint16_t port_ = port_of(listener_);
};

inline void send_all(const Fd& socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    pollfd one{socket.get(), POLLOUT, 0};
    ::poll(&one, 1, 60'000);
    const ssize_t count = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0 && errno != EAGAIN) return;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

/// Reads so many bytes, or fewer if the connection ends.
inline Bytes receive_up_to(const Fd& socket, std::size_t count) {
  Bytes bytes(count);
  std::size_t done = 0;
  while (done < count) {
    pollfd one{socket.get(), POLLIN, 0};
    if (::poll(&one, 1, 60'000) <= 0) break;
    const ssize_t got = ::recv(socket.get(), bytes.data() + done, count - done, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) break;
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Whether the other end has closed, perhaps after some bytes.
inline bool ends(const Fd& socket) { return receive_up_to(socket, 1 << 16).size() < 1 << 16; }

}  // namespace trireme::wire::rendezvous
