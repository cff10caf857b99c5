// What a node is about to do together with all others, in words: so that nodes that called different
// operations can be told who is at what, before any data move.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/types.h"

namespace trireme::wire {

/// Of fixed size, for shared memory. Memory full of zeros is a valid one.
struct CallSignature {
  CallSignature() = default;
  /// "sum of 100 float32 by ring": nodes whose words differ called different operations.
  explicit CallSignature(std::string_view words);

  /// With a buffer that lies at this place of the windows, the same on all nodes; 0: in no window.
  void put_at(std::uint64_t place);

  std::uint64_t digest = 0;        ///< of words and place
  std::uint64_t words_digest = 0;  ///< of all words, also where the text is cut
  std::uint64_t place = 0;
  std::array<char, 232> text{};
};

/// Some of them differ; says who is at what. By rank.
[[nodiscard]] Error difference(Rank rank, std::span<const CallSignature> purposes);

/// A number that differs, as good as certainly, when one of the two does.
[[nodiscard]] std::uint64_t mix(std::uint64_t digest, std::uint64_t number);

}  // namespace trireme::wire
