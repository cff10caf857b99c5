#include "trainer/evaluation.h"

#include <algorithm>
#include <span>

#include "data/shard.h"
#include "trainer/loss.h"

namespace trireme::trainer {
namespace {

// Without gradients to keep, larger batches than in training cost no more memory, and less time.
constexpr std::int64_t kBatch = 500;

}  // namespace

Evaluator::Evaluator(const data::Dataset& test, Rank workers, Rank worker)
    : order_(data::test_order(test.samples, workers, worker)),
      has_classes_(test.classes > 0),
      maker_(test, std::min<std::int64_t>(kBatch, std::ssize(order_))) {}

EvaluationSums Evaluator::evaluate(torch::nn::Sequential& net) {
  const torch::NoGradGuard no_gradients;
  net->eval();
  EvaluationSums sums;
  const std::span<const std::int64_t> all = order_;
  for (std::size_t first = 0; first < all.size(); first += kBatch) {
    const SampleBatch batch =
        maker_.make(all.subspan(first, std::min<std::size_t>(kBatch, all.size() - first)));
    const torch::Tensor output = net->forward(batch.samples);
    sums.loss += loss_of(output, batch.labels, Over::kSum).item<double>();
    if (has_classes_) sums.correct += output.argmax(1).eq(batch.labels).sum().item<double>();
    sums.samples += static_cast<double>(batch.size());
  }
  net->train();
  return sums;
}

}  // namespace trireme::trainer
