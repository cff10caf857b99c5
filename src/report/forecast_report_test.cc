#include "report/forecast_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/model/cluster_test_util.h"
#include "sim/planner/facts_test_util.h"

namespace trireme::report {
namespace {

using testing::HasSubstr;
using testing::Not;

ForecastReport report_of(const sim::Scenario& scenario) { return {scenario, sim::forecast(scenario)}; }

TEST(ForecastReport, TellsPeopleWhereTheTimeGoes) {
  const sim::Scenario scenario = sim::master_and_workers();
  EXPECT_EQ(
      to_text(report_of(scenario)),
      "6 workers, parameter-server: 83 full rounds and one with 2 workers\n"
      "mini-batches of 1,536 samples: 50 in an epoch, 500 in 10 epochs, 9,216 samples in a round\n"
      "\n"
      "           a round  the last\n"
      "receive      1.5 s     1.5 s\n"
      "compute        4 s       4 s\n"
      "send         1.5 s     1.5 s\n"
      "aggregate   0.09 s    0.03 s\n"
      "in all      7.09 s    7.03 s\n"
      "\n"
      "595.5 s in all\n"
      "communication and aggregation exceed computation from 67 workers on\n"
      "6 workers: 3.36 × one\n"
      "efficiency 56.0 %; 1,290 samples/s; one worker alone, without exchange, takes 2,000 s (33.3 min) for "
      "the same samples\n");
}

// Case 4 of the facts.
TEST(ForecastReport, TellsWhatADeviceOfAFederatedJobDoes) {
  const sim::Scenario scenario = sim::federated_devices();
  EXPECT_THAT(
      to_text(report_of(scenario)),
      HasSubstr("\neach device: 25,600 samples, 256,000 over 10 local epochs, 8,000 batches of 32\n"));
  const Json work = to_json(report_of(scenario)).at("work");
  EXPECT_EQ(work.at("samples_per_device"), 25'600);
  EXPECT_EQ(work.at("samples_seen_per_device_and_round"), 256'000);
  EXPECT_EQ(work.at("batches_per_device_and_round"), 8000);
}

// The synchronous half of case 5.
TEST(ForecastReport, TellsAggregationAndUpdateApart) {
  const sim::Scenario scenario = sim::synchronous_step();
  EXPECT_THAT(to_text(report_of(scenario)),
              HasSubstr("aggregate    0.3 s\nupdate      0.25 s\nin all      1.05 s\n"));
  EXPECT_EQ(to_json(report_of(scenario)).at("round").at("update_s"), 0.25);
}

sim::Scenario slow_network(std::int32_t workers) {
  return sim::behind_a_switch({.workers = workers,
                               .parameters = 11'000'000,
                               .rounds = 100,
                               .latency = 100 * sim::kMicrosecond,
                               .bandwidth = 125e6,
                               .per_batch = 120 * sim::kMillisecond});
}

TEST(ForecastReport, SaysWhatManyWorkersBring) {
  const sim::Scenario scenario = slow_network(8);
  ForecastReport report = report_of(scenario);
  report.slower_than_one = sim::slower_than_one(scenario);
  EXPECT_THAT(to_text(report),
              HasSubstr("\n8 workers: 1.3 × one; 2 to 5 are slower than one\nefficiency 16.3 %; one "
                        "worker alone, without exchange, takes 96 s for the same samples\nthe number "
                        "of rounds is fixed: more workers do more work in them\n"));
  const Json json = to_json(report);
  EXPECT_NEAR(json.at("speedup"), 0.96 / 0.7374, 1e-9);
  EXPECT_NEAR(json.at("efficiency"), 0.96 / 0.7374 / 8, 1e-9);
  EXPECT_TRUE(json.at("samples_per_s").is_null());
  EXPECT_EQ(json.at("slower_than_one_worker"), Json({2, 3, 4, 5}));
}

TEST(ForecastReport, OfOneWorkerComparesNothing) {
  const sim::Scenario scenario = slow_network(1);
  EXPECT_THAT(to_text(report_of(scenario)), Not(HasSubstr(" one")));
  EXPECT_EQ(to_json(report_of(scenario)).at("speedup"), 1);
}

TEST(ForecastReport, AdvisesWithTheGlobalBatch) {
  const sim::Scenario scenario = sim::master_and_workers();
  ForecastReport report = report_of(scenario);
  report.worth = sim::advise_workers(scenario);
  EXPECT_THAT(to_text(report),
              HasSubstr("\nof up to 50 workers, with one batch each per epoch, 50 finish first, in "
                        "77.5 s: 25.8 × one, with a global batch of 76,800 samples\n"));
  EXPECT_EQ(to_json(report).at("workers_soonest_samples_per_round"), 76'800);
  report.worth = sim::advise_workers(scenario, 500);
  EXPECT_THAT(to_text(report),
              HasSubstr("\nof up to 500 workers, 500 finish first, in 14.5 s: 138 × one, with a "
                        "global batch of 768,000 samples, more than the 76,800 of an epoch\n"));
}

TEST(ForecastReport, AdvisesOnFixedRoundsByWhatIsDonePerSecond) {
  sim::Scenario scenario = slow_network(8);
  ForecastReport report = report_of(scenario);
  report.worth = sim::advise_workers(scenario, 64);
  EXPECT_THAT(to_text(report), HasSubstr("\nof up to 64 workers, 64 do the most per second: "));
  EXPECT_THAT(to_text(report), Not(HasSubstr("global batch")));
}

TEST(ForecastReport, SaysOfOneWorkerThatMoreMakeItSlower) {
  const sim::Scenario scenario = slow_network(8);
  ForecastReport report = report_of(scenario);
  report.worth = sim::WorkerAdvice{.most = 4, .soonest = 1, .enough = 1, .speedup = 1};
  EXPECT_THAT(to_text(report),
              HasSubstr("\nof up to 4 workers, one alone does the most per second: more make it slower\n"));
}

TEST(ForecastReport, AdvisesAboutWhatIsOnlyNear) {
  const sim::Scenario scenario = sim::master_and_workers();  // the report refers to it
  ForecastReport report = report_of(scenario);
  report.worth = sim::WorkerAdvice{.most = 9,
                                   .soonest = 8,
                                   .enough = 7,
                                   .soonest_s = 2,
                                   .enough_s = 2.05,
                                   .speedup = 5,
                                   .soonest_exact = false};
  EXPECT_THAT(to_text(report), HasSubstr("8 finish first, in about 2 s: about 5 × one"));
  EXPECT_THAT(to_text(report), HasSubstr("\n7 come within about 5 % of that, in 2.05 s"));
}

TEST(ForecastReport, TellsProgramsWhatIsKnown) {
  const sim::Scenario scenario = sim::master_and_workers();
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
  sim::Scenario scenario;
  scenario.job.workers = 16;
  scenario.job.rounds = 100;
  scenario.model.parameters = 1'600'000;
  scenario.network.latency = 25 * sim::kMicrosecond;
  scenario.network.bandwidth = 1.25e9;
  scenario.compute.per_batch = 50 * sim::kMillisecond;
  ForecastReport report = report_of(scenario);
  report.turns = sim::turns(scenario);
  report.without_effect = {"server.update"};
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("48,000 messages and 19.2 GB in all\n"));
  EXPECT_THAT(text, HasSubstr("strategy               a round    in all  longer by\ndirect"));
  EXPECT_THAT(text, HasSubstr("direct is the fastest; what would change this:\n"));
  EXPECT_THAT(text, HasSubstr("\nserver.update has no effect here\n"));
  EXPECT_EQ(to_json(report).at("ranking").size(), 8U);
}

TEST(ForecastReport, MarksWhatIsNearButNotExact) {
  sim::Scenario scenario;
  scenario.job.workers = 12;
  scenario.job.rounds = 100;
  scenario.model.parameters = 1'200'000;
  scenario.network.bandwidth = 1.25e9;
  const ForecastReport report = report_of(scenario);
  EXPECT_THAT(to_text(report), HasSubstr("recursive-doubling  23.04 ms   about 2.3 s"));
  const Json json = to_json(report);
  for (const Json& one : json.at("ranking")) {
    const std::string strategy = one.at("strategy");
    EXPECT_EQ(one.at("exact"), !strategy.ends_with("doubling")) << strategy;
  }
}

TEST(ForecastReport, RefersToSimulateOnlyForWhatThatTakes) {
  sim::Scenario scenario;
  scenario.job.workers = 12;
  scenario.job.rounds = 100;
  scenario.job.strategy = plan::Strategy::kRecursiveDoubling;
  scenario.model.parameters = 1'200'000;
  ForecastReport report = report_of(scenario);
  EXPECT_THAT(to_text(report), HasSubstr(" in all (exact: trireme simulate)\n"));
  report.is_simulable = false;
  EXPECT_THAT(to_text(report),
              HasSubstr(" in all; with fewer rounds or workers trireme simulate could tell\n"));
  report.is_searched = false;
  EXPECT_THAT(to_text(report), HasSubstr("what would change this was not searched"));
}

TEST(ForecastReport, SaysWhatTheFirstRoundTakesBesides) {
  sim::Scenario scenario;
  scenario.job.workers = 4;
  scenario.job.rounds = 10;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.model.parameters = 1'250'000;
  scenario.network.bandwidth = 1.25e9;
  EXPECT_THAT(to_text(report_of(scenario)),
              HasSubstr("212 ms in all\n"
                        "the first round takes 12 ms longer, as all workers begin it together\n"));
  EXPECT_EQ(to_json(report_of(scenario)).at("first_round_s"), 0.032);
}

TEST(TimesOfAColumn, HaveTheUnitOfTheLongest) {
  const TimeUnit unit = unit_for(350'750 * sim::kMicrosecond);
  EXPECT_EQ(time_in(unit, 350'750 * sim::kMicrosecond), "350.75 ms");
  EXPECT_EQ(time_in(unit, 750 * sim::kMicrosecond), "0.75 ms");
  EXPECT_EQ(time_in(unit, -200 * sim::kMicrosecond), "-0.2 ms");
  EXPECT_EQ(time_in(kSeconds, 32'000 * sim::kSecond), "32,000 s");
  EXPECT_EQ(time_in(kSeconds, 1'234'500 * sim::kMillisecond), "1,234.5 s");
  EXPECT_EQ(time_in(kSeconds, sim::kMicrosecond), "0.000001 s");
  EXPECT_EQ(time_in(unit_for(0), 0), "0 ns");
}

TEST(SecondsInWords, AreOfAnyLength) {
  EXPECT_EQ(seconds_in_words(0.25), "250 ms");
  EXPECT_EQ(seconds_in_words(595.5), "595.5 s");
  EXPECT_EQ(seconds_in_words(1044.5), "1,044.5 s (17.4 min)");
  EXPECT_EQ(seconds_in_words(1999.9999), "2,000 s (33.3 min)");
  EXPECT_EQ(seconds_in_words(32'014), "32,014 s (8.9 h)");
  EXPECT_EQ(seconds_in_words(40 * 86'400), "3,456,000 s (40.0 days)");
}

}  // namespace
}  // namespace trireme::report
