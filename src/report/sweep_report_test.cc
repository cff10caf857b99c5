#include "report/sweep_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::report {
namespace {

using testing::HasSubstr;

SweepReport some_sweep() {
  return {.key = "job.workers",
          .strategies = {"ring", "direct"},
          .points = {{"1", {1.0, 1.0}}, {"2", {2.0, 3.0}}, {"3", {4.0, 3.5}}, {"4", {std::nullopt, 5.0}}}};
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
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

TEST(SweepReport, HasCommasInThousandsOfValues) {
  SweepReport large = some_sweep();
  large.points[1].value = "1048576";
  large.points[2].value = "2500.5 MB";
  const std::string text = to_text(large);
  EXPECT_THAT(text, HasSubstr("\n  1,048,576  *2 s     3 s\n  2500.5 MB   4 s  *3.5 s\n"));
  EXPECT_THAT(text, HasSubstr("\nbetween 1,048,576 and 2500.5 MB: ring is overtaken by direct\n"));
  EXPECT_THAT(to_csv(large), HasSubstr("\n1048576,2,3"));
}

// A job that takes 12 s on one worker and exchanges for 4 s with any number.
SweepReport sweep_of_workers() {
  SweepReport report{.key = "job.workers", .job = {"a job"}, .strategies = {"ring", "direct"}, .points = {}};
  for (int n = 1; n <= 4; ++n) {
    const double seconds = n == 1 ? 6 : 12.0 / n + 4;
    SweepPoint point{.value = std::to_string(n), .seconds = {seconds, seconds + 1}, .speedups = {}};
    for (const std::optional<double>& one : point.seconds) {
      point.speedups.push_back(
          {.one_worker_s = 6, .factor = 6 / *one, .efficiency = 6 / *one / n, .samples_per_s = {}});
    }
    report.points.push_back(std::move(point));
  }
  return report;
}

TEST(SweepReport, SaysWhatManyWorkersBring) {
  EXPECT_EQ(to_text(sweep_of_workers()),
            "time in all by each strategy; * marks the fastest, which the last columns describe\n"
            "\n"
            "job.workers   ring  direct  speed-up  efficiency\n"
            "          1   *6 s     7 s       1 ×     100.0 %\n"
            "          2  *10 s    11 s     0.6 ×      30.0 %\n"
            "          3   *8 s     9 s    0.75 ×      25.0 %\n"
            "          4   *7 s     8 s   0.857 ×      21.4 %\n"
            "\n"
            "4 workers: 0.857 × one; 2 to 4 are slower than one\n");
  SweepReport falling = sweep_of_workers();
  std::swap(falling.points.front(), falling.points.back());
  EXPECT_THAT(to_text(falling), HasSubstr("\n4 workers: 0.857 × one; 2 to 4 are slower than one\n"));
  SweepReport fixed = sweep_of_workers();
  fixed.fixed_rounds = true;
  EXPECT_THAT(to_text(fixed),
              testing::EndsWith("\nthe number of rounds is fixed: more workers do more work in them\n"));
  EXPECT_EQ(to_json(fixed).at("speedup").at(1).at("ring"), 0.6);
  EXPECT_TRUE(to_json(fixed).at("samples_per_s").at(1).at("ring").is_null());
  EXPECT_THAT(to_csv(fixed),
              testing::StartsWith("job.workers,ring (s),direct (s),ring speed-up,direct speed-up,ring "
                                  "efficiency,direct efficiency,about\n1,6,7,1,0.857143,1,0.857143,\n"));
}

TEST(SweepReport, IsATableForSpreadsheets) {
  EXPECT_EQ(to_csv(some_sweep()), "job.workers,ring (s),direct (s),about\n1,1,1,\n2,2,3,\n3,4,3.5,\n4,,5,\n");
}

TEST(SweepReport, MarksWhatIsNearButNotExact) {
  SweepReport report = some_sweep();
  report.points[1].about = {0, 1};
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("* marks the fastest; ~ means about (exact: trireme simulate)\n"));
  EXPECT_THAT(text, HasSubstr("2  *~2 s    ~3 s\n"));
  EXPECT_THAT(to_csv(report), HasSubstr("\n2,2,3,ring direct\n3,4,3.5,\n"));
  EXPECT_EQ(to_json(report).at("total_s").at(1).at("about"), Json::array({"ring", "direct"}));
  EXPECT_EQ(to_json(report).at("total_s").at(2).at("about"), Json::array());
  const std::string svg = to_svg(report);
  EXPECT_EQ(count_of(svg, "r=\"2.5\" fill=\"white\""), 3U);  // one of them in the caption
  EXPECT_THAT(svg, HasSubstr(">about (exact: trireme simulate)<"));
  EXPECT_EQ(count_of(to_svg(some_sweep()), "about"), 0U);
}

TEST(SweepReport, DrawsNoMoreDotsAndPointsThanCanBeToldApart) {
  SweepReport report;
  report.key = "job.workers";
  report.strategies = {"ring", "direct"};
  for (int n = 1; n <= 1024; ++n) {
    report.points.push_back({.value = std::to_string(n), .seconds = {1.0 + n, 2.0 + n}, .speedups = {}});
    report.points.back().about = {0, 1};
  }
  const std::string svg = to_svg(report);
  EXPECT_GT(count_of(svg, "r=\"2.5\""), 20U);
  EXPECT_LT(count_of(svg, "r=\"2.5\""), 2U * 42);
  EXPECT_LT(svg.size(), 40'000U);
}

TEST(SweepReport, IsJson) {
  const Json json = to_json(some_sweep());
  EXPECT_EQ(json.at("total_s").at(3).at("ring"), nullptr);
  EXPECT_EQ(json.at("crossings").at(0).at("after"), "direct");
}

TEST(SweepReport, IsAPictureWithALineForEachStrategy) {
  SweepReport report = some_sweep();
  report.points[0].seconds = {1.0, 1.5};
  const std::string svg = to_svg(report);
  EXPECT_THAT(svg, testing::StartsWith("<svg "));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_EQ(count_of(svg, "<polyline"), 2U);
  EXPECT_EQ(count_of(svg, "nan"), 0U);
  EXPECT_EQ(count_of(svg, "inf"), 0U);
}

TEST(SweepReport, IsAPictureThatNamesItsAxesAndTheJob) {
  SweepReport report = some_sweep();
  report.job = {"100 rounds", "10 Gbit/s"};
  const std::string svg = to_svg(report);
  EXPECT_THAT(svg, HasSubstr(">job.workers, log scale<"));
  EXPECT_THAT(svg, HasSubstr(">time in all in seconds, log scale<"));
  EXPECT_THAT(svg, HasSubstr(">100 rounds, 10 Gbit/s<"));
  for (const char* number : {"1", "2", "3", "4"})
    EXPECT_THAT(svg, HasSubstr(">" + std::string(number) + "</text>"));
  EXPECT_THAT(svg, HasSubstr(">another strategy becomes the fastest<"));
  EXPECT_THAT(svg, HasSubstr("3: ring is overtaken by direct"));
  EXPECT_EQ(count_of(svg, "rings"), 0U);
}

// Both strategies are drawn in turn, one dash each.
TEST(SweepReport, IsAPictureInWhichLinesThatCoincideAreSeen) {
  SweepReport report = some_sweep();
  for (SweepPoint& point : report.points) point.seconds = {2.0, 2.0};
  const std::string svg = to_svg(report);
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"9 9\" stroke-dashoffset=\"-0\""), 1U);
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"9 9\" stroke-dashoffset=\"-9\""), 1U);
}

// Words, a range from 0, and a single point: nothing is divided by zero.
TEST(SweepReport, IsAPictureOfAnything) {
  SweepReport report = some_sweep();
  report.points[0].value = "0";
  EXPECT_EQ(count_of(to_svg(report), "nan") + count_of(to_svg(report), "inf"), 0U);
  report.points[1].value = "<none>";
  EXPECT_THAT(to_svg(report), HasSubstr(">&lt;none&gt;<"));
  EXPECT_EQ(count_of(to_svg(report), ">job.workers<"), 1U);
  report.points.resize(1);
  EXPECT_EQ(count_of(to_svg(report), "nan") + count_of(to_svg(report), "inf"), 0U);
  report.points[0].seconds = {std::nullopt, std::nullopt};
  EXPECT_EQ(count_of(to_svg(report), "nan") + count_of(to_svg(report), "inf"), 0U);
}

TEST(SweepReport, OfManyPointsShowsSome) {
  SweepReport report{.key = "job.workers", .strategies = {"ring"}, .points = {}};
  for (int i = 1; i <= 1024; ++i) report.points.push_back({std::to_string(i), {1.0 / i}});
  const std::string text = to_text(report);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 42);
  EXPECT_THAT(text, HasSubstr(" 1,024 "));
  EXPECT_THAT(text, HasSubstr("\n11 of 1,024 values are shown; --csv and --json have all\n"));
}

}  // namespace
}  // namespace trireme::report
