// The keys of a training job's configuration.
#pragma once

#include "config/key_table.h"
#include "config/train_config.h"

namespace trireme {

[[nodiscard]] const KeyTable<TrainConfig>& train_keys();

}  // namespace trireme
