// The keys of [exchange] in the configuration of a training.
#pragma once

#include <vector>

#include "config/key_table.h"
#include "train/train_config.h"

namespace trireme::train {

[[nodiscard]] std::vector<config::Key<TrainConfig>> exchange_keys();

}  // namespace trireme::train
