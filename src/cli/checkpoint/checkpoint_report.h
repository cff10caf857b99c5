// Checkpoints as text for people and as JSON for programs: docs/formats/checkpoint.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/saved.h"
#include "report/json.h"

namespace trireme::cli {

/// A line of the list of a run's checkpoints.
struct CheckpointRow {
  std::filesystem::path folder;
  std::int64_t step = 0;
  std::optional<checkpoint::State> state;  ///< if it is complete, as the next two
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::string missing;  ///< why it is not complete; else empty
};

[[nodiscard]] std::vector<CheckpointRow> rows_of(const std::vector<checkpoint::Listed>& checkpoints);
[[nodiscard]] std::string to_text(const std::vector<CheckpointRow>& rows);
[[nodiscard]] report::Json to_json(const std::vector<CheckpointRow>& rows);

/// All about one checkpoint. Throws `Error` (bad input) when a file cannot be read.
[[nodiscard]] std::string to_text(const checkpoint::Saved& saved);
[[nodiscard]] report::Json to_json(const checkpoint::Saved& saved);

/// What verifying a checkpoint has found.
struct CheckpointVerdict {
  std::filesystem::path folder;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::vector<checkpoint::Damage> damages;
};

/// Reads all bytes; `progress` gets the fraction that is done.
[[nodiscard]] std::vector<CheckpointVerdict> verify_all(const std::vector<checkpoint::Listed>& checkpoints,
                                                        const std::function<void(double)>& progress);
[[nodiscard]] bool are_whole(const std::vector<CheckpointVerdict>& verdicts);
[[nodiscard]] std::string to_text(const std::vector<CheckpointVerdict>& verdicts);
[[nodiscard]] report::Json to_json(const std::vector<CheckpointVerdict>& verdicts);

}  // namespace trireme::cli
