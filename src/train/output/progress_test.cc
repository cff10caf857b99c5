#include "train/output/progress.h"

#include <gtest/gtest.h>

namespace trireme::train {
namespace {

TEST(Progress, IsToldInOneLine) {
  EXPECT_EQ(in_words(Progress{50, 1'704, 0.53121, 1590.6, 1602.2, 419.4}),
            "step 50 of 1,704, 6:59 left: loss 0.5312, 1,590 samples/s (mean 1,602)");
}

}  // namespace
}  // namespace trireme::train
