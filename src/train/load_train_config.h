// A training job's configuration from all that may say something about it, and back into text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/key_table.h"
#include "config/toml.h"
#include "train/train_config.h"

namespace trireme::train {

/// The inputs that set keys, weakest first. A key that none of them sets has its default: numbers of the
/// optimizer have that of its kind (`usual_rule`), parameter-server has one dedicated server, and csv and npy
/// have as many classes as their labels say.
struct TrainInputs {
  /// The configuration of a checkpoint, from which the training goes on.
  struct Saved {
    std::string text;
    std::string name;  ///< stands for it in errors
  };
  std::optional<Saved> saved{};
  std::vector<config::Setting> environment{};
  std::optional<std::string> file{};  ///< a path
  std::vector<std::string> sets{};    ///< "key=value"
  std::vector<config::Setting> flags{};
};

struct LoadedTrainConfig {
  TrainConfig config;
  config::Sources sources;
};

/// A configuration that has passed `check`. Throws `Error` (bad input) that names file and line, or flag, and
/// the key.
[[nodiscard]] LoadedTrainConfig load_train_config(const TrainInputs& inputs);

/// The same of a text alone, such as `to_toml` writes; `name` stands for it in errors.
[[nodiscard]] TrainConfig read_train_config(std::string_view text, const std::string& name);

/// All keys; reading it gives the same configuration.
[[nodiscard]] std::string to_toml(const TrainConfig& config);

/// The keys that repeat the job in another folder: those that have a use, but for the names of what is
/// written: `run.out` and `run.save`.
[[nodiscard]] std::string to_repeat(const TrainConfig& config);

/// A file that gives the same configuration, in which every key has its meaning and where its value comes
/// from behind it. Keys for which what is chosen has no use are comments.
[[nodiscard]] std::string explain_config(const LoadedTrainConfig& loaded);

/// A sentence for each key that somebody has set though what is chosen has no use for it. That is no error: a
/// file holds numbers for one optimizer, and --set tries another.
[[nodiscard]] std::vector<std::string> unused_keys(const LoadedTrainConfig& loaded);

}  // namespace trireme::train
