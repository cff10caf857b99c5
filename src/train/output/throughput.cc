#include "train/output/throughput.h"

namespace trireme::train {

void Throughput::add(Sum& sum, std::int64_t samples, double seconds) {
  ++sum.steps;
  sum.samples += samples;
  sum.seconds += seconds;
}

double Throughput::rate(const Sum& sum) {
  return sum.seconds > 0 ? static_cast<double>(sum.samples) / sum.seconds : 0;
}

void Throughput::add_step(std::int64_t samples, double seconds) {
  add(first_.steps < kWarmUpSteps ? first_ : later_, samples, seconds);
  add(interval_, samples, seconds);
}

double Throughput::samples_per_second() const { return rate(best()); }

double Throughput::samples_per_second_of_interval() const { return rate(interval_); }

double Throughput::seconds_per_step() const {
  const Sum& sum = best();
  return sum.steps > 0 ? sum.seconds / static_cast<double>(sum.steps) : 0;
}

}  // namespace trireme::train
