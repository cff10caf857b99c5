// Connects a process with the others of its job, by what it knows of the job.
#pragma once

#include <memory>
#include <string>

#include "base/deadline.h"
#include "wire/wire.h"
#include "world/world.h"

namespace trireme::world {

/// A node's place in its job. It leaves when this ends.
class Connection {
 public:
  virtual ~Connection() = default;

  [[nodiscard]] virtual wire::Wire& wire() = 0;
  /// How the nodes are connected, in words: "4 nodes on one host, through shared memory".
  [[nodiscard]] virtual std::string in_words() const = 0;
};

/// All nodes of the job call it together. It takes the wire that the world asks for or, for `auto`: in a job
/// of one, none; in memory that a launcher has shared with all, that; under an MPI launcher over several
/// hosts, MPI; else the nodes meet, find out who shares a host, by looking for each other's memory and not at
/// names, and take shared memory on one host, TCP between hosts, or both.
///
/// Throws `Error`: when the wire cannot be had, when there is no place to meet or no secret for it, and for
/// whatever goes wrong in a meeting.
[[nodiscard]] std::unique_ptr<Connection> connect(const FoundWorld& world, const Deadline& deadline);

/// Whether the nodes exchange through memory that they inherit, as their launcher has decided.
[[nodiscard]] bool inherits_memory(const FoundWorld& world);

/// Throws `Error` (bad input) where it is clear beforehand that `connect` will: what the world says is not
/// enough to find the others, or not to be had. Connects nothing.
void require_way_to_connect(const FoundWorld& world);

}  // namespace trireme::world
