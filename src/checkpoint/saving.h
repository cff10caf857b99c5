// Saving a checkpoint so that whatever happens meanwhile, the newest complete one can be loaded: everything
// is written into a folder aside, each file is on the disk before DONE is, DONE before the folder gets its
// name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/state.h"
#include "checkpoint/summed_file.h"

namespace trireme::checkpoint {

/// Used by the one process that answers for the checkpoint. Any process or thread that sees the folder writes
/// its own files there in the meantime, with `write_safetensors` or `SummedFile`, and hands their sums to
/// this one. Everything throws `Error`: kFailed with the file and the reason when something cannot be
/// written.
class Saving {
 public:
  /// Makes the folder, that of the run too, and removes what earlier attempts have left behind. One saving
  /// at a time in one run.
  Saving(std::filesystem::path run, std::int64_t step);
  /// Removes what was written, unless it is finished.
  ~Saving();
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;

  /// Where the files belong until then.
  [[nodiscard]] const std::filesystem::path& folder() const { return aside_; }

  void write_state(const State& state);
  void write_config(const std::string& toml);
  /// A file that somebody has written into the folder.
  void add(FileSum file) { files_.push_back(std::move(file)); }

  /// Completes the checkpoint: it has its name and is on the disk afterwards. A checkpoint of the same step
  /// that is there already is replaced, at one instant. Throws `Error` (bad input) when a listed file is
  /// missing or has another size, or there is no state. Returns the checkpoint's folder.
  std::filesystem::path finish();

 private:
  std::filesystem::path run_;
  std::int64_t step_;
  std::filesystem::path aside_;
  std::vector<FileSum> files_;
  bool is_finished_ = false;
};

/// Removes all but the `keep` newest complete checkpoints up to `step`, which is the step that has just been
/// saved; later ones, of another course of the run, stay, and so does what is no checkpoint. Returns the
/// steps removed. `keep` is at least 1.
std::vector<std::int64_t> prune(const std::filesystem::path& run, std::int64_t step, std::int64_t keep);

/// Removes the leftovers of savings that were killed.
void tidy_up(const std::filesystem::path& run);

}  // namespace trireme::checkpoint
