#include "train/compute_threads.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

namespace trireme::train {
namespace {

TEST(ComputeThreads, ShareTheCoresOfAHost) {
  EXPECT_EQ(threads_of_worker(0, 16, 4), 4);
  EXPECT_EQ(threads_of_worker(0, 16, 3), 5);
  EXPECT_EQ(threads_of_worker(0, 2, 4), 1);
  EXPECT_EQ(threads_of_worker(0, 2, 0), 2);
}

TEST(ComputeThreads, AreAsManyAsWereWishedFor) { EXPECT_EQ(threads_of_worker(3, 2, 4), 3); }

TEST(ComputeThreads, AreCounted) {
  std::counting_semaphore<2> counted{0};
  // With the first of a process a sanitizer may start one of its own.
  const std::jthread first([&] { counted.acquire(); });
  const int before = running_threads();
  const std::jthread second([&] { counted.acquire(); });
  EXPECT_EQ(running_threads(), before + 1);
  counted.release(2);
}

}  // namespace
}  // namespace trireme::train
