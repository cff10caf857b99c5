#include "train/output/progress.h"

#include <gtest/gtest.h>

namespace trireme::train {
namespace {

TEST(Progress, IsToldInOneLine) {
  EXPECT_EQ(in_words(Progress{50, 1'704, 0.53121, 1590.6, 10'119'408, 24, 419.4}),
            "step 50 of 1,704, 6:59 left: loss 0.5312, 1,590 samples/s, 10.1 MB and 24 messages per step");
}

}  // namespace
}  // namespace trireme::train
