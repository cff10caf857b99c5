// The bytes that go over a TCP connection once its end has proved who it is: frames and words, made
// and read by pure functions. Little endian. Nothing is believed before it is checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "wire/job_wire.h"

namespace trireme::wire::tcp {

/// Goes before the bytes of each message on the data connection.
struct FrameHead {
  static constexpr std::size_t kBytes = 24;

  OpId id = 0;
  std::uint64_t bytes = 0;
  ChannelId channel{};

  [[nodiscard]] std::array<std::byte, kBytes> encode() const;
  [[nodiscard]] static FrameHead decode(std::span<const std::byte, kBytes> bytes);
};

/// One message on the control connection.
struct Word {
  enum class Kind : std::uint8_t {
    kWaits = 1,  ///< it waits for `peer`; -1: for nobody any more
    kBye,        ///< it has finished, and says nothing more
    kFails,      ///< it gives up, because of `failure`
  };

  Kind kind = Kind::kBye;
  Rank peer = -1;
  Failure failure{};

  [[nodiscard]] std::vector<std::byte> encode() const;
};

/// Puts words together from bytes as they come. Keeps at most one word, a few kilobytes.
class WordReader {
 public:
  static constexpr std::size_t kMostBytes = 4096;

  /// Throws `Error` (mismatch) when the bytes are none that `Word::encode` makes. Afterwards it takes no
  /// more.
  void take(std::span<const std::byte> bytes, std::vector<Word>& words);

 private:
  std::vector<std::byte> begun_;
};

}  // namespace trireme::wire::tcp
