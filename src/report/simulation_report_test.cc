#include "report/simulation_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/model/job_plan.h"

namespace trireme::report {
namespace {

using testing::HasSubstr;
using testing::Not;

sim::Scenario job(sim::Mode mode, std::int32_t shares) {
  sim::Scenario scenario;
  scenario.job.strategy = plan::Strategy::kParameterServer;
  scenario.job.mode = mode;
  scenario.job.workers = 4;
  scenario.job.rounds = 2;
  scenario.model.parameters = 1000;
  scenario.network.bandwidth = 1e9;
  scenario.compute.per_batch = sim::kMillisecond;
  scenario.server.count = shares;
  return scenario;
}

struct Told {
  std::string text;
  Json json;
};

Told told(const sim::Scenario& scenario) {
  const sim::Simulation simulation = sim::simulate(scenario);
  const plan::PlanSpec spec = sim::plan_of(scenario);
  const SimulationReport report{
      .scenario = scenario, .simulation = simulation, .names = plan::NodeNames(spec.workers, spec.servers)};
  return {to_text(report), to_json(report)};
}

TEST(SimulationReport, SaysThatEveryShareOfAnUpdateHasItsStaleness) {
  const Told one = told(job({sim::Mode::Kind::kAsync}, 1));
  EXPECT_THAT(one.text, HasSubstr("8 updates, mean staleness"));
  EXPECT_THAT(one.text, HasSubstr("staleness  updates\n"));
  EXPECT_THAT(one.text, Not(HasSubstr("share")));
  const Told two = told(job({sim::Mode::Kind::kAsync}, 2));
  EXPECT_THAT(two.text, HasSubstr(" over the 2 shares of each\n"));
  EXPECT_THAT(two.text, HasSubstr("staleness  shares of updates\n"));
  EXPECT_THAT(two.text, HasSubstr("on the first of 2 shares\n"));
  EXPECT_EQ(two.json.at("shares"), 2);
}

TEST(SimulationReport, DoesNotCallTheGradientsOfARoundUpdates) {
  const Told backup = told(job({sim::Mode::Kind::kBackup, 1}, 1));
  EXPECT_THAT(backup.text, HasSubstr("6 gradients, mean staleness 0\n"));
  EXPECT_THAT(backup.text, HasSubstr("gradient  worker  "));
  EXPECT_THAT(backup.text, HasSubstr("staleness  gradients\n"));
  EXPECT_THAT(backup.text, Not(HasSubstr("update")));
  EXPECT_EQ(backup.json.at("gradients_in_all"), 6);
  EXPECT_FALSE(backup.json.contains("updates"));
}

}  // namespace
}  // namespace trireme::report
