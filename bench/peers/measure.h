// Times the all-reduce of a peer: the same calls, buffer and figures for every library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace peers {

/// The ranks of one library, seen from one rank.
class Group {
 public:
  virtual ~Group() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void barrier() = 0;
  /// The sum over all ranks, in place: the timed call.
  virtual void sum(std::span<float> buffer) = 0;
  /// The maximum over all ranks, element by element, in place.
  virtual void greatest(std::span<double> values) = 0;
};

/// The size of the buffer from the command line: a positive multiple of four. Otherwise throws what is wrong.
[[nodiscard]] std::size_t parse_bytes(std::string_view text);

/// Times the sum of a buffer of so many bytes. Every rank calls it; rank 0 prints one JSON document. Throws
/// on every rank if the sum is wrong on one. SIGALRM ends a process that takes longer than 70 s.
void measure(Group& group, std::size_t bytes);

}  // namespace peers
