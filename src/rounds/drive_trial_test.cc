#include "rounds/drive_trial.h"

#include <gtest/gtest.h>

namespace trireme::rounds {
namespace {

// With these times for after, hooks and thread; a slow round now and then.
DriveTrial trial_of(double after, double hooks, double thread) {
  DriveTrial trial;
  for (int i = 0; !trial.over(); ++i) {
    const double time = trial.current() == Drive::kAfter   ? after
                        : trial.current() == Drive::kHooks ? hooks
                                                           : thread;
    trial.took(i % 10 < 3 ? 1.0 : i % 5 == 0 ? 10 * time : time);
    EXPECT_LT(i, 100);
  }
  return trial;
}

TEST(DriveTrial, PrefersTheFastest) {
  EXPECT_EQ(trial_of(0.003, 0.004, 0.005).current(), Drive::kAfter);
  EXPECT_EQ(trial_of(0.003, 0.002, 0.005).current(), Drive::kHooks);
  EXPECT_EQ(trial_of(0.003, 0.002, 0.001).current(), Drive::kThread);
}

TEST(DriveTrial, PrefersTheSimplerWhereTheDifferenceIsSmall) {
  EXPECT_EQ(trial_of(0.00300, 0.00299, 0.00298).current(), Drive::kAfter);
}

TEST(DriveTrial, SaysWhatItFound) {
  EXPECT_EQ(trial_of(0.003, 0.002, 0.005).in_words(),
            "during backward, by its hooks, measured best: 2.00 ms a step (after 3.00 ms, thread 5.00 ms)");
}

}  // namespace
}  // namespace trireme::rounds
