#include "report/sweep_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme {
namespace {

using testing::HasSubstr;

SweepReport some_sweep() {
  return {.key = "job.workers",
          .strategies = {"ring", "direct"},
          .points = {{"1", {1.0, 1.0}}, {"2", {2.0, 3.0}}, {"3", {4.0, 3.5}}, {"4", {std::nullopt, 5.0}}}};
}

TEST(SweepReport, SaysWhereAStrategyIsOvertaken) {
  EXPECT_EQ(to_text(some_sweep()),
            "time in all by each strategy; * marks the fastest\n"
            "\n"
            "job.workers  ring  direct\n"
            "          1  *1 s     1 s\n"
            "          2  *2 s     3 s\n"
            "          3   4 s  *3.5 s\n"
            "          4     –    *5 s\n"
            "\n"
            "at 3: ring is overtaken by direct\n");
  SweepReport apart = some_sweep();
  apart.points[2].value = "8";
  EXPECT_EQ(crossing_words(apart, crossings(apart)[0]), "between 2 and 8: ring is overtaken by direct");
}

TEST(SweepReport, IsATableForSpreadsheets) {
  EXPECT_EQ(to_csv(some_sweep()), "job.workers,ring (s),direct (s)\n1,1,1\n2,2,3\n3,4,3.5\n4,,5\n");
}

TEST(SweepReport, IsJson) {
  const Json json = to_json(some_sweep());
  EXPECT_EQ(json.at("total_s").at(3).at("ring"), nullptr);
  EXPECT_EQ(json.at("crossings").at(0).at("after"), "direct");
}

TEST(SweepReport, IsAPictureWithALineForEachStrategy) {
  const std::string svg = to_svg(some_sweep());
  EXPECT_THAT(svg, testing::StartsWith("<svg "));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("3: ring is overtaken by direct"));
  std::size_t lines = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1))
    ++lines;
  EXPECT_EQ(lines, 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SweepReport, OfManyPointsShowsSome) {
  SweepReport report{.key = "job.workers", .strategies = {"ring"}, .points = {}};
  for (int i = 1; i <= 1024; ++i) report.points.push_back({std::to_string(i), {1.0 / i}});
  const std::string text = to_text(report);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 42);
  EXPECT_THAT(text, HasSubstr(" 1024 "));
}

}  // namespace
}  // namespace trireme
