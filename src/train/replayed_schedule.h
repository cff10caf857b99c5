// The schedule that a training applies once more, and what of the configuration follows from it.
#pragma once

#include <string>

#include "schedule/schedule.h"
#include "train/load_train_config.h"

namespace trireme::train {

/// Throws `Error` (bad input) where the file cannot be read, or is no schedule.
[[nodiscard]] schedule::Schedule read_schedule_file(const std::string& path);

/// Takes the workers, servers and mode of the schedule that is to be replayed, and its way to divide rates
/// unless somebody has given another. Throws `Error` (bad input) where somebody has given other numbers.
void take_schedule(LoadedTrainConfig& loaded);

}  // namespace trireme::train
