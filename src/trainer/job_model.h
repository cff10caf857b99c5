// The model of a job, with the weights that it begins with.
#pragma once

#include <torch/torch.h>

#include "base/error.h"
#include "train/train_job.h"

namespace trireme::trainer {

/// Throws `Error` with the memory that is needed where there is too little.
[[nodiscard]] torch::nn::Sequential model_of(const train::TrainJob& job);

/// What libtorch has thrown, without its backtrace of thirty lines, and with the memory that is needed where
/// it is short.
[[nodiscard]] Error in_plain_words(const c10::Error& error, const train::TrainJob& job);

}  // namespace trireme::trainer
