// What a worker and a server tell each other with every push and every answer: it lies before the numbers, in
// the same message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace trireme::server {

enum class PushKind : std::uint8_t {
  kGradient,  ///< the gradient of a mini-batch
  kLeave,     ///< none: this worker leaves the phase, and wants the weights at its end
};

/// Goes over the wire as it is. Bits follow it: which parts of the share have a gradient.
struct PushNote {
  PushKind kind = PushKind::kGradient;
  std::uint8_t wishes = 0;     ///< see rounds::RoundNote
  std::int64_t sequence = 0;   ///< how many gradients this worker has pushed, with this one
  std::int64_t gradient = 0;   ///< the number of its mini-batch
  std::int64_t round = 0;      ///< backup: the round for which it was computed
  double rate = 0;             ///< of the update rule in this step
  double loss = 0;             ///< of the mini-batch
  std::int64_t reserved[2]{};  // to 64 bytes
};

enum class AnswerKind : std::uint8_t {
  kWeights,   ///< the weights as they are now
  kAskAgain,  ///< to who leaves: others are still at work
  kEnd,       ///< to who leaves: all have left, and these are the weights that all get
};

/// Goes over the wire as it is.
struct AnswerNote {
  static constexpr std::int64_t kNone = -1;

  AnswerKind kind = AnswerKind::kWeights;
  std::uint8_t wishes = 0;    ///< of any worker in this phase
  std::int64_t next = kNone;  ///< the number of this worker's next mini-batch; kNone: it has no more
  std::int64_t round = 0;     ///< backup: the round at hand
  std::int64_t steps = 0;     ///< of the phase, as far as they are handed out
  // Of the share, since the server began:
  std::int64_t updates = 0;  ///< gradients that were applied
  std::int64_t staleness_sum = 0;
  std::int64_t staleness_most = 0;
  double loss = 0;  ///< the mean of the last few mini-batches of all workers
};

inline constexpr std::size_t kNoteUnit = 64;
static_assert(sizeof(PushNote) == kNoteUnit && sizeof(AnswerNote) == kNoteUnit);
static_assert(std::is_trivially_copyable_v<PushNote> && std::is_trivially_copyable_v<AnswerNote>);

/// A note with the bits of so many parts, in whole cache lines.
[[nodiscard]] constexpr std::size_t note_bytes(std::size_t parts) {
  const std::size_t bits = (parts + 7) / 8;
  return kNoteUnit + (bits + kNoteUnit - 1) / kNoteUnit * kNoteUnit;
}

}  // namespace trireme::server
