#include "sim/scenario/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"

namespace trireme::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sweep, OfWholeNumbersHasAllOfThem) {
  const Sweep sweep = parse_sweep("workers=2..5");
  EXPECT_EQ(sweep.key, "job.workers");
  EXPECT_THAT(sweep.values, ElementsAre("2", "3", "4", "5"));
}

// From 1 to 1000 or 1000 to 1000000 in 60 steps each value is 1000^(1/59) times the one before.
void expect_equal_factors(const std::vector<std::string>& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    EXPECT_NEAR(std::stod(values[i]) / std::stod(values[i - 1]), std::pow(1000.0, 1.0 / 59), 2e-3) << i;
  }
}

TEST(Sweep, OfQuantitiesGoesByAFactor) {
  const Sweep sweep = parse_sweep("network.latency=1 us..1 ms");
  EXPECT_EQ(sweep.key, "network.latency");
  EXPECT_EQ(sweep.values.size(), 60U);
  EXPECT_EQ(sweep.values.front(), "1 us");
  EXPECT_EQ(sweep.values.back(), "1000 us");
  expect_equal_factors(sweep.values);
}

TEST(Sweep, OfManyWholeNumbersGoesByAFactor) {
  const Sweep sweep = parse_sweep("parameters=1_000..1000000");
  EXPECT_EQ(sweep.key, "model.parameters");
  EXPECT_EQ(sweep.values.size(), 60U);
  EXPECT_EQ(sweep.values.front(), "1000");
  EXPECT_EQ(sweep.values.back(), "1000000");
  expect_equal_factors(sweep.values);
  EXPECT_TRUE(sweep.is_range);
}

TEST(Sweep, TakesAListOfAnything) {
  EXPECT_THAT(parse_sweep("job.strategy=ring, direct").values, ElementsAre("ring", "direct"));
}

TEST(Sweep, ThatIsNoneIsRefused) {
  for (const char* text :
       {"workers", "=1..2", "workers=", "workers=5..2", "workers=1..10000000000000000", "colour=1 us..2 us",
        "latency=1 us..1 MB", "x.y=a..b", "x.y=0 us..1 us", "x.y=1,,2", "workers=0..5", "workers=-1..5"}) {
    try {
      static_cast<void>(parse_sweep(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("--sweep")) << text;
      EXPECT_THAT(error.what(), HasSubstr("write it like")) << text;
    }
  }
}

TEST(Sweep, OfAMisspeltKeyNamesTheNearest) {
  try {
    static_cast<void>(parse_sweep("latancy=1 us..2 us"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--sweep latancy=1 us..2 us: there is no key latancy; did you mean latency?");
  }
}

}  // namespace
}  // namespace trireme::sim
