#include "report/forecast_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/facts_test_util.h"

namespace trireme {
namespace {

using testing::HasSubstr;

ForecastReport report_of(const Scenario& scenario) { return {scenario, forecast(scenario)}; }

TEST(ForecastReport, TellsPeopleWhereTheTimeGoes) {
  const Scenario scenario = master_and_workers();
  EXPECT_EQ(to_text(report_of(scenario)),
            "6 workers, parameter-server: 83 full rounds and one with 2 workers\n"
            "\n"
            "           a round  the last\n"
            "receive      1.5 s     1.5 s\n"
            "compute        4 s       4 s\n"
            "send         1.5 s     1.5 s\n"
            "aggregate    90 ms     30 ms\n"
            "in all      7.09 s    7.03 s\n"
            "\n"
            "595.5 s in all\n"
            "communication and aggregation exceed computation from 67 workers on\n");
}

TEST(ForecastReport, TellsProgramsWhatIsKnown) {
  const Scenario scenario = master_and_workers();
  const Json json = to_json(report_of(scenario));
  EXPECT_EQ(json.at("rounds_full"), 83);
  EXPECT_EQ(json.at("rounds_partial"), 1);
  EXPECT_EQ(json.at("round_s"), 7.09);
  EXPECT_EQ(json.at("last_round_s"), 7.03);
  EXPECT_EQ(json.at("total_s"), 595.5);
  EXPECT_EQ(json.at("communication_exceeds_computation_at_workers"), 67);
  EXPECT_TRUE(json.at("messages").is_null());
  EXPECT_TRUE(json.at("bytes").is_null());
  EXPECT_TRUE(json.at("ranking").empty());
}

TEST(ForecastReport, RanksStrategiesAndSaysWhatWouldChangeThat) {
  Scenario scenario;
  scenario.job.workers = 16;
  scenario.job.rounds = 100;
  scenario.model.parameters = 1'600'000;
  scenario.network.latency = 25 * kMicrosecond;
  scenario.network.bandwidth = 1.25e9;
  scenario.compute.per_batch = 50 * kMillisecond;
  ForecastReport report = report_of(scenario);
  report.turns = turns(scenario);
  report.without_effect = {"server.update"};
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("48,000 messages and 19.2 GB in all\n"));
  EXPECT_THAT(text, HasSubstr("strategy               a round    in all  longer by\ndirect"));
  EXPECT_THAT(text, HasSubstr("direct is the fastest, but\n"));
  EXPECT_THAT(text, HasSubstr("\nserver.update has no effect here\n"));
  EXPECT_EQ(to_json(report).at("ranking").size(), 8U);
}

TEST(SecondsInWords, AreOfAnyLength) {
  EXPECT_EQ(seconds_in_words(0.25), "250 ms");
  EXPECT_EQ(seconds_in_words(595.5), "595.5 s");
  EXPECT_EQ(seconds_in_words(32'014), "32014 s (8.9 h)");
  EXPECT_EQ(seconds_in_words(40 * 86'400), "3456000 s (40.0 days)");
}

}  // namespace
}  // namespace trireme
