// Shared by the tests of wires: nodes as threads, messages with known bytes, and the failure of a call.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "wire/wire.h"

namespace trireme::wire {

using Bytes = std::vector<std::byte>;

/// Runs each function in its own thread and waits for all.
inline void on_threads(const std::vector<std::function<void()>>& nodes) {
  std::vector<std::jthread> threads;
  threads.reserve(nodes.size());
  for (const auto& node : nodes) threads.emplace_back(node);
}

/// Bytes that depend on position and seed, so that a wrong message, offset or length is detected.
inline Bytes pattern(std::size_t size, int seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(seed) * 17 + (i >> 8));
  }
  return bytes;
}

/// Long enough for any machine: a test that reaches it has failed.
inline Deadline soon() { return Deadline::after(std::chrono::seconds(60)); }

inline void send_and_wait(Wire& wire, Rank to, OpId id, std::span<const std::byte> bytes,
                          const Deadline& deadline = soon()) {
  Batch batch;
  wire.post_send(batch, to, id, bytes);
  wire.wait(batch, deadline);
}

inline void receive_and_wait(Wire& wire, Rank from, OpId id, std::span<std::byte> into,
                             const Deadline& deadline = soon()) {
  Batch batch;
  wire.post_receive(batch, from, id, into, copy_bytes);
  wire.wait(batch, deadline);
}

/// The failure of a call that must fail. Leaves the wire with it, as a node does.
inline Failure failure_of_leaving(Wire& wire, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    wire.leave(error.failure());
    return error.failure();
  }
  ADD_FAILURE() << "rank " << wire.rank() << " should have failed";
  return {};
}

}  // namespace trireme::wire
