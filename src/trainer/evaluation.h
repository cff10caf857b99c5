// Evaluates a model on samples that it was not trained on.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "base/types.h"
#include "data/dataset.h"
#include "trainer/batches.h"

namespace trireme::trainer {

/// Sums over the test samples of one worker, or of several if added up.
struct EvaluationSums {
  double loss = 0;
  double correct = 0;  ///< stays 0 where there are no classes
  double samples = 0;
};

/// One worker's part of a test set: all workers together look at each sample once.
class Evaluator {
 public:
  /// The test set outlives it.
  Evaluator(const data::Dataset& test, Rank workers, Rank worker);

  [[nodiscard]] EvaluationSums evaluate(torch::nn::Sequential& net);

 private:
  std::vector<std::int64_t> order_;
  bool has_classes_;
  BatchMaker maker_;
};

}  // namespace trireme::trainer
