// Schedules against a reference that follows each element by itself. All numbers have few bits, so that the
// answers are exact.
#include "trainer/schedule_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace trireme::trainer {
namespace schedule_replay {

using schedule::Schedule;
using schedule::Write;
using testing::HasSubstr;

constexpr double kRate = 0.5;
constexpr std::int64_t kFirstBias = 8;  // the elements are those of the weight, then those of the bias

std::vector<torch::nn::Sequential> modules_of(Rank workers) {
  std::vector<torch::nn::Sequential> modules;
  for (Rank worker = 0; worker < workers; ++worker) {
    torch::nn::Sequential& net = modules.emplace_back(torch::nn::Linear(4, 2));
    const torch::NoGradGuard no_grad;
    net->parameters()[0].copy_(torch::arange(8, torch::kFloat32).reshape({2, 4}));
    net->parameters()[1].fill_(-1);
  }
  return modules;
}

float initial(std::int64_t element) { return element < kFirstBias ? static_cast<float>(element) : -1.0F; }

// Of mini-batch k, from this weight.
float gradient_of(std::int64_t k, float weight) { return 0.5F * weight + static_cast<float>(k + 1); }

double add_gradients(torch::nn::Sequential& net, std::int64_t k) {
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& weight : net->parameters()) {
    const torch::Tensor gradient = 0.5 * weight + static_cast<float>(k + 1);
    weight.mutable_grad() = weight.grad().defined() ? weight.grad() + gradient : gradient;
  }
  return static_cast<double>(k);
}

using Divisor = double (*)(const Schedule&, std::int64_t staleness);
double by_workers(const Schedule& schedule, std::int64_t) { return schedule.workers; }
double by_staleness(const Schedule&, std::int64_t staleness) {
  return static_cast<double>(std::max<std::int64_t>(staleness, 1));
}

// One element on one server, update after update.
float followed(const Schedule& schedule, std::int32_t server, std::int64_t element, Divisor divisor) {
  const bool has_rounds = schedule.mode.starts_with("backup");
  std::map<std::int64_t, std::vector<Write>> updates;  // by version
  for (const Write& write : schedule.writes) {
    if (write.server == server && !write.dropped) updates[write.version].push_back(write);
  }
  std::vector<float> versions = {initial(element)};
  for (const auto& [version, writes] : updates) {
    float sum = 0;
    for (const Write& write : writes) {
      sum += gradient_of(write.gradient, versions[static_cast<std::size_t>(write.read)]);
    }
    const double rate = has_rounds ? kRate / static_cast<double>(writes.size())
                                   : kRate / divisor(schedule, version - 1 - writes[0].read);
    versions.push_back(versions.back() - static_cast<float>(rate) * sum);
  }
  return versions.back();
}

ScheduleReplay::Spec spec_of(server::StalenessRate rate = server::StalenessRate::kWorkers) {
  return {.staleness_rate = rate, .rule = default_rule(RuleKind::kSgd), .rate_of = [](std::int64_t) {
            return kRate;
          }};
}

struct Replayed {
  explicit Replayed(const Schedule& its_schedule, const ScheduleReplay::Spec& spec = spec_of())
      : schedule(its_schedule),
        modules(modules_of(schedule.workers)),
        replay(schedule, modules, spec, [this](Rank worker, std::int64_t gradient) {
          return add_gradients(modules[static_cast<std::size_t>(worker)], gradient);
        }) {
    while (replay.step()) ++steps;
    replay.give_weights();
  }
  [[nodiscard]] float element(std::int64_t number, std::size_t worker = 0) const {
    const torch::Tensor weight = modules[worker]->parameters()[number < kFirstBias ? 0 : 1].reshape({-1});
    return weight[number < kFirstBias ? number : number - kFirstBias].item<float>();
  }

  const Schedule schedule;
  std::vector<torch::nn::Sequential> modules;
  ScheduleReplay replay;
  int steps = 0;
};

void expect_reference(const Replayed& replayed, Divisor divisor = by_workers) {
  const auto& shares = replayed.replay.placement().shares;
  for (std::size_t server = 0; server < shares.size(); ++server) {
    for (const server::SharePart& part : shares[server].parts) {
      for (std::int64_t i = part.first; i < part.first + part.count; ++i) {
        const std::int64_t element = part.variable == 0 ? i : kFirstBias + i;
        const float expected =
            followed(replayed.schedule, static_cast<std::int32_t>(server), element, divisor);
        for (std::size_t worker = 0; worker < replayed.modules.size(); ++worker) {
          EXPECT_EQ(replayed.element(element, worker), expected) << "element " << element;
        }
      }
    }
  }
}

// Two workers, of which the second is slow.
Schedule asynchronous() {
  return {.mode = "async",
          .workers = 2,
          .writes = {{.worker = 0, .gradient = 0, .read = 0, .version = 1},
                     {.worker = 0, .gradient = 2, .read = 1, .version = 2},
                     {.worker = 1, .gradient = 1, .read = 0, .version = 3},
                     {.worker = 0, .gradient = 3, .read = 2, .version = 4},
                     {.worker = 1, .gradient = 4, .read = 3, .version = 5}}};
}

// Each server applies the gradients in an order of its own.
Schedule on_two_servers() {
  return {.mode = "ssp:2",
          .workers = 2,
          .servers = 2,
          .writes = {{.server = 0, .worker = 0, .gradient = 0, .read = 0, .version = 1},
                     {.server = 0, .worker = 1, .gradient = 1, .read = 0, .version = 2},
                     {.server = 0, .worker = 0, .gradient = 2, .read = 1, .version = 3},
                     {.server = 1, .worker = 1, .gradient = 1, .read = 0, .version = 1},
                     {.server = 1, .worker = 0, .gradient = 0, .read = 0, .version = 2},
                     {.server = 1, .worker = 0, .gradient = 2, .read = 2, .version = 3}}};
}

Schedule in_rounds() {
  return {.mode = "backup:1",
          .workers = 3,
          .writes = {{.worker = 0, .gradient = 0, .read = 0, .version = 1},
                     {.worker = 2, .gradient = 2, .read = 0, .version = 1},
                     {.worker = 1, .gradient = 1, .read = 0, .version = 1, .dropped = true},
                     {.worker = 1, .gradient = 4, .read = 1, .version = 2},
                     {.worker = 0, .gradient = 3, .read = 1, .version = 2},
                     {.worker = 2, .gradient = 5, .read = 1, .version = 2, .dropped = true}}};
}

TEST(ScheduleReplay, AppliesEachGradientToTheVersionThatItWasComputedFrom) {
  const Replayed replayed(asynchronous());
  expect_reference(replayed);
  EXPECT_EQ(replayed.steps, 5);
  EXPECT_EQ(replayed.replay.applied(), 5);
  EXPECT_EQ(replayed.replay.staleness().histogram,
            (std::map<std::int64_t, std::int64_t>{{0, 2}, {1, 2}, {2, 1}}));
}

// By hand: one element, w = 1, in two updates of the same version.
TEST(ScheduleReplay, OfTwoGradientsOfOneVersionIsKnownByHand) {
  Schedule schedule{.workers = 2,
                    .writes = {{.worker = 0, .gradient = 0, .read = 0, .version = 1},
                               {.worker = 1, .gradient = 1, .read = 0, .version = 2}}};
  // Gradients 0.5 + 1 and 0.5 + 2, a rate of 0.5 / 2.
  EXPECT_EQ(Replayed(schedule).element(1), 1 - 0.25F * 1.5F - 0.25F * 2.5F);
}

TEST(ScheduleReplay, DividesRatesByStaleness) {
  expect_reference(Replayed(asynchronous(), spec_of(server::StalenessRate::kStaleness)), by_staleness);
}

TEST(ScheduleReplay, FollowsEachServerInItsOwnOrder) {
  const Replayed replayed(on_two_servers());
  expect_reference(replayed);
  EXPECT_EQ(replayed.replay.applied(), 3) << "to the first share";
}

TEST(ScheduleReplay, AveragesRoundsAndDropsLateGradients) {
  const Replayed replayed(in_rounds());
  expect_reference(replayed);
  EXPECT_EQ(replayed.replay.applied(), 4);
  EXPECT_EQ(replayed.replay.dropped(), 2);
  EXPECT_EQ(replayed.replay.staleness().histogram, (std::map<std::int64_t, std::int64_t>{{0, 4}}));
}

TEST(ScheduleReplay, LeavesServersWithoutElementsAlone) {
  ScheduleReplay::Spec spec = spec_of();
  spec.whole_tensors = true;
  Schedule schedule = asynchronous();
  schedule.servers = 3;  // and two tensors
  for (Write& write : schedule.writes) write.server = 0;
  const Replayed replayed(schedule, spec);
  EXPECT_EQ(replayed.steps, 5);
}

TEST(ScheduleReplay, ClipsEachGradient) {
  ScheduleReplay::Spec spec = spec_of();
  spec.clip_norm = 1;
  const Schedule schedule{.writes = {{.gradient = 0, .version = 1}}};
  const Replayed replayed(schedule, spec);
  double squares = 0;
  for (std::int64_t i = 0; i < 10; ++i) squares += std::pow(replayed.element(i) - initial(i), 2);
  EXPECT_NEAR(std::sqrt(squares), kRate, 1e-5);
}

TEST(ScheduleReplay, KeepsTheStateOfARule) {
  ScheduleReplay::Spec spec = spec_of();
  spec.rule = default_rule(RuleKind::kMomentum);
  spec.rule.momentum = 0.5;
  const Schedule schedule{
      .writes = {{.gradient = 0, .read = 0, .version = 1}, {.gradient = 1, .read = 1, .version = 2}}};
  const float first = gradient_of(0, 1);
  const float after = 1 - 0.5F * first;
  EXPECT_EQ(Replayed(schedule, spec).element(1), after - 0.5F * (0.5F * first + gradient_of(1, after)));
}

TEST(ScheduleReplay, TakesTheRateOfTheStep) {
  ScheduleReplay::Spec spec = spec_of();
  spec.rate_of = [](std::int64_t gradient) { return gradient == 0 ? 0.5 : 0.0; };
  const Schedule schedule{
      .writes = {{.gradient = 0, .read = 0, .version = 1}, {.gradient = 1, .read = 1, .version = 2}}};
  EXPECT_EQ(Replayed(schedule, spec).element(1), 1 - 0.5F * 1.5F);
}

TEST(ScheduleReplay, OfNothingLeavesTheWeights) {
  const Replayed replayed(Schedule{.workers = 2, .servers = 2});
  EXPECT_EQ(replayed.steps, 0);
  EXPECT_EQ(replayed.element(3), 3);
  EXPECT_EQ(replayed.replay.loss(), 0);
}

// Each of two gradients is computed from weights that the other has changed.
TEST(ScheduleReplay, NamesAGradientThatNeedsALaterOne) {
  const Schedule schedule{.workers = 2,
                          .servers = 2,
                          .writes = {{.server = 0, .worker = 0, .gradient = 0, .read = 0, .version = 1},
                                     {.server = 0, .worker = 1, .gradient = 1, .read = 1, .version = 2},
                                     {.server = 1, .worker = 1, .gradient = 1, .read = 0, .version = 1},
                                     {.server = 1, .worker = 0, .gradient = 0, .read = 1, .version = 2}}};
  try {
    const Replayed replayed(schedule);
    ADD_FAILURE() << "no complaint";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_THAT(error.what(),
                HasSubstr("the schedule cannot be replayed: gradient 0 of worker 0, which comes next on "
                          "server 0, is computed from weights that need gradients which come later"));
  }
}

}  // namespace schedule_replay
}  // namespace trireme::trainer
