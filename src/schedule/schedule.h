// The schedule of an asynchronous training: which gradient was computed from which weights, and in what order
// gradients were applied. As a file it is JSON lines: docs/formats/schedule.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace trireme::schedule {

/// The most workers, and the most servers.
inline constexpr std::int32_t kMostNodes = 1'000'000;

/// One gradient that was applied to one share of the weights, or dropped.
struct Write {
  std::int32_t server = 0;    ///< the share
  Rank worker = 0;            ///< whose gradient it is
  std::int64_t gradient = 0;  ///< the number of its mini-batch, from 0
  std::int64_t read = 0;      ///< the version of the share that the worker had read for it
  /// Of the share afterwards; the first is 1, and 0 are the initial weights. Gradients that were averaged in
  /// one round (backup workers) have the same.
  std::int64_t version = 0;
  bool dropped = false;  ///< it came after its round: not applied, and `version` is that of the share then

  friend bool operator==(const Write&, const Write&) = default;
};

struct Schedule {
  std::string mode = "async";  ///< "async", "ssp:3" or "backup:1"
  std::int32_t workers = 1;
  std::int32_t servers = 1;
  std::string staleness_rate = "workers";  ///< what divides the learning rate: "workers", "staleness", "none"
  std::vector<Write> writes{};             ///< in the order of application

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The file's first line, without the writes; then a line for each write. They end with a line feed.
[[nodiscard]] std::string first_line(const Schedule& schedule);
[[nodiscard]] std::string line(const Write& write);

/// The whole file.
[[nodiscard]] std::string to_jsonl(const Schedule& schedule);

/// Reads such a file, also one that was written by hand, in which what follows from the rest may be left out.
/// Throws `Error` (bad input) that begins with `name` and names the line, when a line is no such object, or
/// something is read before it is written, comes out of order or twice, or is of an unknown worker or server.
[[nodiscard]] Schedule read_schedule(std::string_view text, const std::string& name);

}  // namespace trireme::schedule
