#include "report/speedup_words.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trireme::report {
namespace {

std::vector<Compared> looked_at(const std::vector<std::int64_t>& slower,
                                const std::vector<std::int64_t>& faster) {
  std::vector<Compared> all;
  for (const std::int64_t n : slower) all.push_back({n, true});
  for (const std::int64_t n : faster) all.push_back({n, false});
  std::sort(all.begin(), all.end(),
            [](const Compared& a, const Compared& b) { return a.workers < b.workers; });
  return all;
}

TEST(SlowerWords, NameTheNumbersOfWorkers) {
  EXPECT_EQ(slower_words(looked_at({2, 3, 4, 5}, {1, 6, 7, 8})), "2 to 5 are slower than one");
  EXPECT_EQ(slower_words(looked_at({2}, {1, 3})), "2 workers are slower than one");
  EXPECT_EQ(slower_words(looked_at({2, 3}, {1, 4})), "2 and 3 are slower than one");
  EXPECT_EQ(slower_words(looked_at({2, 3, 4, 6, 9, 10}, {1, 5, 7, 8})),
            "2 to 4, 6, 9 and 10 are slower than one");
  EXPECT_EQ(slower_words(looked_at({}, {1, 2, 3})), "");
  EXPECT_EQ(slower_words({}), "");
}

// 3 was not tried, so the text does not mention it.
TEST(SlowerWords, SayNothingOfNumbersThatWereNotLookedAt) {
  EXPECT_EQ(slower_words(looked_at({2, 4, 8}, {1, 16})), "2, 4 and 8 are slower than one");
  EXPECT_EQ(slower_words(looked_at({2, 4, 8, 16}, {1, 32})), "those from 2 to 16 are slower than one");
}

TEST(SlowerWords, AreFew) {
  EXPECT_EQ(slower_words(looked_at({2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13})),
            "2, 4, 6, 8, 10 and others are slower than one");
}

// With a dedicated server one worker is slower than alone.
TEST(SlowerWords, LeaveOutOneWorker) { EXPECT_EQ(slower_words(looked_at({1}, {2, 3})), ""); }

TEST(TimesWords, HaveThreeDigits) {
  EXPECT_EQ(times_words(1.304), "1.3 ×");
  EXPECT_EQ(times_words(35.75), "35.8 ×");
  EXPECT_EQ(times_words(12345.6), "12,346 ×");
  EXPECT_EQ(percent_words(0.5598), "56.0 %");
  EXPECT_EQ(percent_words(13.937), "1,393.7 %");
  EXPECT_EQ(rate_words(1289.67), "1,290 samples/s");
}

}  // namespace
}  // namespace trireme::report
