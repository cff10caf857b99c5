#include "train/output/throughput.h"

namespace trireme::train {

void Throughput::add_step(std::int64_t samples, double seconds) {
  Sum& sum = first_.steps < kWarmUpSteps ? first_ : later_;
  ++sum.steps;
  sum.samples += samples;
  sum.seconds += seconds;
}

double Throughput::samples_per_second() const {
  const Sum& sum = best();
  return sum.seconds > 0 ? static_cast<double>(sum.samples) / sum.seconds : 0;
}

double Throughput::seconds_per_step() const {
  const Sum& sum = best();
  return sum.steps > 0 ? sum.seconds / static_cast<double>(sum.steps) : 0;
}

}  // namespace trireme::train
