#include "optim/measure.h"

namespace trireme::optim {

std::vector<Measure> measures_of_model(const RuleSpec&, std::span<const Measure> measures) {
  return std::vector<Measure>(measures.begin(), measures.end());
}

}  // namespace trireme::optim
