#include "rounds/update/model_norm.h"

#include <vector>

#include "base/types.h"

namespace trireme::rounds {
namespace {

bool has_one_norm(RuleSpec a, const RuleSpec& b) {
  a.rate = b.rate;
  a.weight_decay = b.weight_decay;
  return a == b;
}

// An index is told as one more, so that nodes that know none can tell 0.
void tell_measures(std::span<MeasuredTensor> tensors, ShareSum& sum) {
  std::vector<double> numbers;
  for (const MeasuredTensor& tensor : tensors) {
    numbers.push_back(tensor.measure.value);
    numbers.push_back(static_cast<double>(tensor.measure.index + 1));
  }
  sum.run(numbers);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].measure = {.value = numbers[2 * i],
                          .index = static_cast<std::int64_t>(numbers[2 * i + 1]) - 1};
  }
}

}  // namespace

void complete_measures(std::span<MeasuredTensor> tensors, ShareSum* sum) {
  if (sum != nullptr && !tensors.empty()) tell_measures(tensors, *sum);
  std::vector<bool> done(tensors.size());
  for (std::size_t first = 0; first < tensors.size(); ++first) {
    if (done[first]) continue;
    std::vector<std::size_t> model;
    std::vector<optim::Measure> measures;
    for (std::size_t i = first; i < tensors.size(); ++i) {
      if (!has_one_norm(tensors[i].rule, tensors[first].rule)) continue;
      model.push_back(i);
      measures.push_back(tensors[i].measure);
      done[i] = true;
    }
    measures = optim::measures_of_model(tensors[first].rule, measures);
    for (std::size_t i = 0; i < model.size(); ++i) tensors[model[i]].measure = measures[i];
  }
}

}  // namespace trireme::rounds
