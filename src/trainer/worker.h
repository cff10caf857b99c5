// One node of a training, from its place in the world to its end.
#pragma once

#include <trireme/trireme.h>

#include "train/train_job.h"

namespace trireme::trainer {

/// *Together.* Trains as one of the workers, or serves them as one of the last ranks; rank 0 tells of it.
/// Returns whether it trained to the end: not if somebody wished that it stop (train/stop_request.h).
/// Throws `Error` when the wire has counted something else than was planned, and whatever ends a training.
bool take_part(World& world, const train::TrainJob& job);

}  // namespace trireme::trainer
