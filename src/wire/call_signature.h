// The collective operation that a node is about to start, in words: if nodes called different operations, the
// error can say who called what, before any data moves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/types.h"
#include "wire/members.h"

namespace trireme::wire {

/// Has a fixed size, for shared memory. Memory full of zeros is a valid signature.
struct CallSignature {
  CallSignature() = default;
  /// "sum of 100 float32 by ring": if the words of two nodes differ, they called different operations.
  explicit CallSignature(std::string_view words);

  /// Adds the buffer's place in the windows, which is the same on all nodes; 0: the buffer is in no window.
  void put_at(std::uint64_t place);

  std::uint64_t digest = 0;        ///< of the words and the place
  std::uint64_t words_digest = 0;  ///< of all words, even if the text is cut
  std::uint64_t place = 0;
  std::array<char, 232> text{};
};

/// The error on this node for signatures, given by rank on its wire, that differ: says who called what.
[[nodiscard]] Error difference(const Members& members, Rank rank, std::span<const CallSignature> signatures);

/// A number that almost certainly differs when one of the two does.
[[nodiscard]] std::uint64_t mix(std::uint64_t digest, std::uint64_t number);

}  // namespace trireme::wire
