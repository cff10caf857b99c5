// What a World is made of, for Trireme's own parts.
#pragma once

#include <trireme/trireme.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "base/deadline.h"
#include "exec/runner.h"
#include "launch/connection.h"

namespace trireme {

struct World::Impl {
  using Key = std::tuple<std::size_t, Type, bool, Strategy>;

  Impl(std::unique_ptr<Connection> connection, std::chrono::nanoseconds timeout);

  [[nodiscard]] Wire& wire() { return connection->wire(); }
  [[nodiscard]] Deadline deadline() const { return Deadline::after(timeout); }
  /// Says once what `auto` has taken.
  [[nodiscard]] Strategy choose(std::string_view wish, std::span<const std::byte> bytes);
  [[nodiscard]] Runner& runner(std::size_t bytes, Type type, bool average, Strategy strategy);

  const std::chrono::nanoseconds timeout;
  std::unique_ptr<Connection> connection;
  std::map<Key, Runner> runners;
  std::set<std::string> said;  // choices of auto
};

struct WorldAccess {
  using Inside = World::Impl;

  [[nodiscard]] static Inside& inside(World& world);
  /// One that is connected already.
  [[nodiscard]] static World make(std::unique_ptr<Connection> connection, std::chrono::nanoseconds timeout);
  /// *Together.* As in a Buffer; it stays as long as its owner.
  [[nodiscard]] static std::span<std::byte> memory(World& world, std::size_t bytes,
                                                   std::shared_ptr<void>& owner);
};

}  // namespace trireme
