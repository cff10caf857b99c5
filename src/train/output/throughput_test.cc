#include "train/output/throughput.h"

#include <gtest/gtest.h>

namespace trireme::train {
namespace {

void add_steps(Throughput& throughput, int steps, double seconds) {
  for (int i = 0; i < steps; ++i) throughput.add_step(64, seconds);
}

TEST(Throughput, LeavesTheFirstTenStepsOut) {
  Throughput throughput;
  add_steps(throughput, 10, 100);
  add_steps(throughput, 4, 0.5);
  EXPECT_EQ(throughput.samples_per_second(), 128);
  EXPECT_EQ(throughput.seconds_per_step(), 0.5);
}

TEST(Throughput, TakesThemWhereThereAreNoOthers) {
  Throughput throughput;
  add_steps(throughput, 3, 0.5);
  EXPECT_EQ(throughput.samples_per_second(), 128);
}

TEST(Throughput, OfAnIntervalIsThatOfItsOwnSteps) {
  Throughput throughput;
  add_steps(throughput, 20, 0.5);
  throughput.begin_interval();
  EXPECT_EQ(throughput.samples_per_second_of_interval(), 0);
  add_steps(throughput, 2, 0.25);
  EXPECT_EQ(throughput.samples_per_second_of_interval(), 256);
  EXPECT_LT(throughput.samples_per_second(), 256);
}

TEST(Throughput, IsNoneBeforeTheFirstStep) {
  EXPECT_EQ(Throughput().samples_per_second(), 0);
  EXPECT_EQ(Throughput().seconds_per_step(), 0);
}

}  // namespace
}  // namespace trireme::train
