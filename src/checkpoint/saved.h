// Finding and opening what was saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors_file.h"
#include "checkpoint/state.h"
#include "checkpoint/summed_file.h"

namespace trireme::checkpoint {

/// A folder step-N of a run.
struct Listed {
  std::int64_t step = 0;
  std::filesystem::path folder;
  std::string
      missing;  ///< why it is not complete: "weights.safetensors has 12 bytes instead of 318328"; else empty

  [[nodiscard]] bool is_complete() const { return missing.empty(); }
};

/// The checkpoints of a run's folder, newest first. One is complete if DONE is right, and every file that it
/// lists is there with its size; contents are not read.
[[nodiscard]] std::vector<Listed> list_checkpoints(const std::filesystem::path& run);

/// The checkpoints of a run's folder, or the one that this folder is, complete or not. Throws `Error` (bad
/// input) that says what is there when there is none.
struct Found {
  bool is_run = false;
  std::vector<Listed> checkpoints;  ///< newest first
};
[[nodiscard]] Found find_checkpoints(const std::filesystem::path& folder);

/// A file that is not as it was saved.
struct Damage {
  std::string file;
  std::string what;  ///< "state.json has the sum 1c291ca3 instead of 9a3b0c11"
};

/// A complete checkpoint.
class Saved {
 public:
  /// `folder` is a run's folder, of which the newest complete checkpoint is taken, or one checkpoint, which
  /// must be complete. Throws `Error` (bad input) that says what is there instead, and names an older
  /// complete checkpoint.
  [[nodiscard]] static Saved open(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::int64_t step() const { return state_.step; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const std::string& config() const { return config_; }
  /// Those that DONE lists, sorted by name.
  [[nodiscard]] const std::vector<FileSum>& files() const { return files_; }
  /// A sentence for each newer checkpoint of the run that was passed over, because it is not complete.
  [[nodiscard]] const std::vector<std::string>& passed_over() const { return passed_over_; }

  [[nodiscard]] bool has(std::string_view file) const;
  /// The files rule-R.safetensors, … in the order of R: `prefix` is "rule-", "random-", "server-" or "own-".
  [[nodiscard]] std::vector<std::string> files_of(std::string_view prefix) const;
  /// Throws `Error` (bad input) that names the next older complete checkpoint when the file is not there or
  /// damaged.
  [[nodiscard]] SafetensorsFile open_file(const std::string& file) const;

  /// Called with the bytes that were read so far.
  using Progress = std::function<void(std::uint64_t)>;
  /// Reads all files, compares their sums, and looks at the headers of tensors.
  [[nodiscard]] std::vector<Damage> damages(const Progress& progress = {}) const;
  /// Throws `Error` (bad input) with the first damage and the next older complete checkpoint, if there is a
  /// damage.
  void require_whole(const Progress& progress = {}) const;

 private:
  explicit Saved(std::filesystem::path folder);

  std::filesystem::path folder_;
  std::vector<FileSum> files_;
  State state_;
  std::string config_;
  std::vector<std::string> passed_over_;
};

}  // namespace trireme::checkpoint
