#include "plan/movements/parts.h"

#include <gtest/gtest.h>

namespace trireme::plan {
namespace {

// Checks every part, one after another.
std::optional<Rank> search(const Parts& parts, Rank from, Rank by) {
  for (Rank k = from; k >= 0 && k < parts.count; k += by) {
    if (!parts.of(k).empty()) return k;
  }
  return std::nullopt;
}

TEST(Parts, FindThoseThatAreNotEmptyWithoutLookingAtTheOthers) {
  for (const std::int64_t hosts : {1, 2, 3, 5}) {
    for (const Rank places : {1, 2, 4, 7}) {
      for (std::int64_t p = 0; p <= hosts * places + 3; ++p) {
        std::vector<Parts> all{{.p = p, .n = hosts * places, .count = places, .first = 0, .per_part = hosts}};
        for (Rank place = 0; place < places; ++place) {
          all.push_back(
              {.p = p, .n = hosts * places, .count = static_cast<Rank>(hosts), .first = place * hosts});
        }
        for (const Parts& parts : all) {
          for (Rank k = 0; k < parts.count; ++k) {
            EXPECT_EQ(parts.at_or_before(k), search(parts, k, -1));
            EXPECT_EQ(parts.at_or_after(k), search(parts, k, 1));
          }
          EXPECT_EQ(parts.at_or_before(-1), std::nullopt);
          EXPECT_EQ(parts.at_or_after(parts.count), std::nullopt);
        }
      }
    }
  }
}

TEST(Parts, AreSteppedOverInLargePlansToo) {
  const Parts parts{.p = 1, .n = 1'000'000, .count = 1'000'000};
  EXPECT_EQ(parts.at_or_after(0), 999'999);
  EXPECT_EQ(parts.at_or_before(999'998), std::nullopt);
}

}  // namespace
}  // namespace trireme::plan
