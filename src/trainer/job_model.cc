#include "trainer/job_model.h"

#include <fmt/format.h>

#include "base/text.h"
#include "libtorch/stored_tensors.h"
#include "train/model_shape.h"
#include "trainer/models.h"

namespace trireme::trainer {

Error in_plain_words(const c10::Error& error, const train::TrainJob& job) {
  Failure failure;
  failure.what = error.what_without_backtrace();
  failure.cause = Failure::Cause::kFailed;
  if (failure.what.find("can't allocate memory") == std::string::npos) return Error(failure);
  const data::Dataset& train = job.data.train;
  const std::int64_t parameters = train::parameters_of(job.config.model, train.shape, train.outputs());
  constexpr std::int64_t kWeightAndGradient = 2 * sizeof(float);
  return bad_input(
      fmt::format("there is too little memory: a model of {} parameters needs {} in each worker for "
                  "weights and gradients, and more to compute with",
                  with_commas(parameters), bytes_in_words(parameters * kWeightAndGradient)),
      "make the model or data.batch smaller, or take fewer workers");
}

torch::nn::Sequential model_of(const train::TrainJob& job) try {
  const data::Dataset& train = job.data.train;
  torch::nn::Sequential net =
      make_model(job.config.model, train.shape, train.outputs(), job.config.train.seed);
  if (!job.config.model.init.empty() && !job.from) libtorch::read_weights(job.config.model.init, *net);
  return net;
} catch (const c10::Error& error) {
  throw in_plain_words(error, job);
}

}  // namespace trireme::trainer
