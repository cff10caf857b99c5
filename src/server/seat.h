// A worker's place at a server: a group of the two, through which gradients of one share go to the server and
// weights come back, by the plan of parameter-server with one worker and one server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "exec/executor.h"
#include "exec/runner.h"
#include "server/notes.h"
#include "server/placement.h"
#include "wire/shm/windows.h"
#include "wire/wire.h"

namespace trireme::server {

/// One end. Its memory has room for a note and the numbers of the share. Where both share a host, the server
/// works in that of the worker.
class Seat {
 public:
  static constexpr Rank kWorker = 0;  ///< ranks in the pair
  static constexpr Rank kServer = 1;

  /// *Together*, by both.
  Seat(std::unique_ptr<wire::Wire> pair, const Share& share, const Deadline& deadline);
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  /// The two halves of an update. Each is begun with `begin`, by both ends.
  [[nodiscard]] exec::Runner& push() { return push_; }
  [[nodiscard]] exec::Runner& answer() { return answer_; }
  void begin(exec::Runner& half, const Deadline& deadline) { half.start(own(), deadline); }

  /// The memory: on the worker always this, on the server between a push and the end of its answer.
  [[nodiscard]] std::span<float> numbers() const;
  template <typename Note>
  [[nodiscard]] Note note() const;
  template <typename Note>
  void set_note(const Note& note);
  /// Bits behind the note: whether a part of the share has a gradient.
  [[nodiscard]] bool has_gradient(std::size_t part) const;
  void set_has_gradient(const std::vector<bool>& parts);

  /// The rank of the other end in the job.
  [[nodiscard]] Rank peer() const;
  /// The messages of one update on this node, and those of all so far.
  [[nodiscard]] wire::Counters tally() const;
  [[nodiscard]] wire::Counters counted() const;

 private:
  [[nodiscard]] std::span<std::byte> own() const;
  [[nodiscard]] std::byte* data() const;

  const std::unique_ptr<wire::Wire> pair_;
  const std::size_t note_bytes_;
  const std::int64_t elements_;  // of the share
  const plan::PlanSpec spec_;
  wire::shm::Window window_;  // empty where the two do not share a host
  std::unique_ptr<exec::Room> room_;
  exec::Runner push_;
  exec::Runner answer_;
};

/// *Together*, by all nodes: the seats of all workers at all servers whose share is not empty. A worker gets
/// its own, by server; a server those of its workers, by rank. Null where the share is empty.
[[nodiscard]] std::vector<std::unique_ptr<Seat>> make_seats(wire::Wire& wire, Rank workers,
                                                            const Placement& placement,
                                                            std::chrono::nanoseconds timeout);

}  // namespace trireme::server
