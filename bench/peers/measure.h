// How a peer's all-reduce is timed: the same calls, the same buffer, the same figures, whatever the library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace peers {

/// The ranks of one library, seen from one of them.
class Group {
 public:
  virtual ~Group() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void barrier() = 0;
  /// The sum over all ranks, in place: the call that is timed.
  virtual void sum(std::span<float> buffer) = 0;
  /// The greatest over all ranks, element by element, in place.
  virtual void greatest(std::span<double> values) = 0;
};

/// The size of the buffer from the command line: a positive multiple of four. Throws what is wrong otherwise.
[[nodiscard]] std::size_t parse_bytes(std::string_view text);

/// Times the sum of a buffer of so many bytes. Every rank calls it; rank 0 prints one JSON document. Throws
/// on every rank when the sum is wrong on one. A process that takes longer than 70 s is ended by SIGALRM.
void measure(Group& group, std::size_t bytes);

}  // namespace peers
