// Times an operation of a peer: the same calls, buffers and figures for every library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace peers {

enum class Operation { kAllreduce, kBroadcast, kAllGather, kReduceScatter, kAllToAll, kPingPong };

/// The ranks of one library, seen from one rank.
class Group {
 public:
  virtual ~Group() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void barrier() = 0;
  /// The timed call: from what this rank brings to what it gets. Chunk k of a buffer belongs to rank k.
  ///
  /// | operation      | from                   | into                             |
  /// |----------------|------------------------|----------------------------------|
  /// | allreduce      | into                   | the sum                          |
  /// | broadcast      | into                   | what the root brings             |
  /// | all-gather     | its chunk              | all chunks                       |
  /// | reduce-scatter | all chunks             | its chunk of the sum             |
  /// | all-to-all     | a chunk for each rank  | a chunk from each rank           |
  /// | ping-pong      | a message              | that of rank 1 for 0, 0 for 1, … |
  ///
  /// In a ping-pong the even rank of a pair sends first, and the last of an odd number of ranks does nothing.
  virtual void run(Operation operation, std::span<float> from, std::span<float> into, int root) = 0;
  /// The maximum over all ranks, element by element, in place.
  virtual void greatest(std::span<double> values) = 0;
};

/// From the command line: "allreduce", "broadcast", "all-gather", "reduce-scatter", "all-to-all",
/// "ping-pong". Throws what is wrong.
[[nodiscard]] Operation parse_operation(std::string_view text);

/// The size of the buffer from the command line: a positive multiple of four. Otherwise throws what is wrong.
[[nodiscard]] std::size_t parse_bytes(std::string_view text);

/// Times the operation with a buffer of so many bytes: all chunks together. Every rank calls it; rank 0
/// prints one JSON document. The time of a ping-pong is half of the round trip. Throws on every rank if
/// chunks are not equal, or if the result is wrong on one rank. SIGALRM ends a process that takes longer than
/// 70 s.
void measure(Group& group, Operation operation, std::size_t bytes);

}  // namespace peers
