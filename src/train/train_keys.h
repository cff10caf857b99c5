// The keys of a training job's configuration.
#pragma once

#include "config/key_table.h"
#include "train/train_config.h"

namespace trireme::train {

[[nodiscard]] const config::KeyTable<TrainConfig>& train_keys();

}  // namespace trireme::train
