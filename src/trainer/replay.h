// Applies the gradients of a schedule once more: those of the real model, in the order of the schedule, in
// one process. So an asynchronous training can be repeated bit by bit, and a simulated one be trained.
#pragma once

#include <trireme/trireme.h>

#include "train/train_job.h"

namespace trireme::trainer {

/// Reports like a training, on the only node of the world. Throws `Error` (bad input) where the schedule
/// reads what it never writes.
void replay(World& world, const train::TrainJob& job);

}  // namespace trireme::trainer
