// Gradients of quadratics that are applied late: the weights follow the delayed recursion, and stay near
// those of a sequential run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "server/ledger_test_util.h"
#include "server/modes_test_util.h"
#include "server/share_weights.h"

namespace trireme::server {
namespace {

constexpr std::size_t kSize = 6;
using Point = std::array<double, kSize>;

constexpr double kLeast = 0.5;  // of all eigenvalues of all samples
constexpr double kMost = 4;

double norm(const Point& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

double distance(const Point& a, const Point& b) {
  Point between;
  for (std::size_t i = 0; i < kSize; ++i) between[i] = a[i] - b[i];
  return norm(between);
}

// ½·(x − center)ᵀ·H·(x − center), where H has these eigenvalues along the axes, mirrored by a plane.
struct Sample {
  Point center;
  Point eigenvalues;
  Point normal;  // of the plane; of length 1

  [[nodiscard]] Point mirrored(const Point& x) const {
    double along = 0;
    for (std::size_t i = 0; i < kSize; ++i) along += normal[i] * x[i];
    Point result;
    for (std::size_t i = 0; i < kSize; ++i) result[i] = x[i] - 2 * along * normal[i];
    return result;
  }
  [[nodiscard]] Point gradient(const Point& x) const {
    Point away;
    for (std::size_t i = 0; i < kSize; ++i) away[i] = x[i] - center[i];
    Point turned = mirrored(away);
    for (std::size_t i = 0; i < kSize; ++i) turned[i] *= eigenvalues[i];
    return mirrored(turned);
  }
};

std::vector<Sample> make_samples(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 1000) / 999;
  };
  std::vector<Sample> samples(static_cast<std::size_t>(count));
  for (Sample& sample : samples) {
    for (std::size_t i = 0; i < kSize; ++i) {
      sample.center[i] = between(-2, 2);
      sample.eigenvalues[i] = between(kLeast, kMost);
      sample.normal[i] = between(-1, 1);
    }
    sample.eigenvalues[0] = kLeast;
    sample.eigenvalues[1] = kMost;
    sample.normal[2] = 1;
    const double length = norm(sample.normal);
    for (double& value : sample.normal) value /= length;
  }
  return samples;
}

// A server with its ledger and its weights, and workers that push in a given order.
class DelayedRun {
 public:
  DelayedRun(Rank workers, double rate, const std::vector<Sample>& samples)
      : rate_(rate),
        samples_(samples),
        pushing_({kAsync, workers}),
        share_{.elements = kSize,
               .parts = {{.variable = 0, .place = 0, .count = 4}, {.variable = 1, .place = 4, .count = 2}}},
        memory_(kSize, 1.0F),
        weights_(share_, {{std::span(memory_).first(4), optim::vector_of(4)},
                          {std::span(memory_).subspan(4), optim::vector_of(2)}}),
        read_(idx(workers), weights()) {
    points_.push_back(weights());
    pushing_.begin({.first = 0, .gradients = Phase::kUnlimited, .records = true});
  }

  void push(Rank worker) {
    const Point gradient =
        samples_[static_cast<std::size_t>(pushing_.of(worker).next)].gradient(read_[idx(worker)]);
    most_ = std::max(most_, norm(gradient));
    std::vector<float> numbers(gradient.begin(), gradient.end());
    ASSERT_EQ(pushing_.push(worker), Fate::kApply);
    weights_.apply(numbers, {true, true}, rate_, [](std::size_t /*variable*/, double rate) {
      return RuleSpec{.kind = RuleKind::kSgd, .rate = rate};
    });
    read_[idx(worker)] = weights();
    points_.push_back(weights());
    writes_.push_back(pushing_.ledger().take_writes().at(0));
  }

  /// The weights before the first update, and after each.
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  [[nodiscard]] const std::vector<schedule::Write>& writes() const { return writes_; }
  [[nodiscard]] std::int64_t most_delay() { return pushing_.ledger().stale().most(); }
  [[nodiscard]] double most_gradient() const { return most_; }

  /// The points of a run in doubles with the same samples in the same order. With `delayed` gradients are
  /// those of the points that were read, else of the newest.
  [[nodiscard]] std::vector<Point> recursion(bool delayed) const {
    std::vector<Point> points = {points_[0]};
    for (const schedule::Write& write : writes_) {
      const Point& read = delayed ? points[static_cast<std::size_t>(write.read)] : points.back();
      const Point gradient = samples_[static_cast<std::size_t>(write.gradient)].gradient(read);
      Point next = points.back();
      for (std::size_t i = 0; i < kSize; ++i) next[i] -= rate_ * gradient[i];
      points.push_back(next);
    }
    return points;
  }

 private:
  [[nodiscard]] Point weights() const {
    Point point;
    std::copy(memory_.begin(), memory_.end(), point.begin());
    return point;
  }

  const double rate_;
  const std::vector<Sample>& samples_;
  Pushing pushing_;
  const Share share_;
  std::vector<float> memory_;
  ShareWeights weights_;
  std::vector<Point> read_;  // by worker
  std::vector<Point> points_;
  std::vector<schedule::Write> writes_;
  double most_ = 0;
};

constexpr std::int64_t kUpdates = 300;
// Each step rounds the weights and what is added to them, to float32, and shrinks what was there before.
constexpr double kRounding = 1e-4;

double most_distance(const std::vector<Point>& a, const std::vector<Point>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, distance(a[i], b[i]));
  return most;
}

void expect_bound(DelayedRun& run, double rate) {
  EXPECT_LT(most_distance(run.points(), run.recursion(/*delayed=*/true)), kRounding);
  const double bound = rate * static_cast<double>(run.most_delay()) * run.most_gradient() * kMost / kLeast;
  const double away = most_distance(run.points(), run.recursion(/*delayed=*/false));
  EXPECT_LE(away, bound + kRounding) << "delay " << run.most_delay() << ", rate " << rate;
  EXPECT_TRUE(run.most_delay() == 0 || away > 10 * kRounding);  // else it is the same run
}

// Workers in turn: each gradient is as late as there are other workers.
TEST(DelayedGradients, StayWithinTheBoundAroundTheSequentialRun) {
  const std::vector<Sample> samples = make_samples(kUpdates + 8, 1);
  for (const Rank workers : {1, 2, 3, 5}) {
    for (const double rate : {0.01, 0.05, 0.08}) {
      ASSERT_LE(rate, 2 / (kMost + kLeast));
      DelayedRun run(workers, rate, samples);
      for (std::int64_t k = 0; k < kUpdates; ++k) run.push(static_cast<Rank>(k % workers));
      for (std::size_t k = 0; k < run.writes().size(); ++k) {
        const schedule::Write& write = run.writes()[k];
        ASSERT_EQ(write.gradient, static_cast<std::int64_t>(k));
        ASSERT_EQ(write.version - 1 - write.read, std::min<std::int64_t>(write.gradient, workers - 1));
      }
      expect_bound(run, rate);
    }
  }
}

RC_GTEST_PROP(DelayedGradients, StayWithinTheBoundInEveryOrder, ()) {
  const std::vector<Sample> samples = make_samples(kUpdates + 8, *rc::gen::inRange<unsigned>(0, 1000));
  const Rank workers = *rc::gen::inRange(2, 5);
  DelayedRun run(workers, 0.02, samples);
  // The one that has not pushed for longest pushes at the latest when all others have twice.
  std::vector<std::int64_t> last(idx(workers));
  for (std::int64_t k = 0; k < kUpdates; ++k) {
    const auto oldest = std::ranges::min_element(last) - last.begin();
    const auto any = *rc::gen::inRange<std::ptrdiff_t>(0, workers);
    const auto worker = k - last[static_cast<std::size_t>(oldest)] > 2 * workers ? oldest : any;
    last[static_cast<std::size_t>(worker)] = k;
    run.push(static_cast<Rank>(worker));
  }
  expect_bound(run, 0.02);
  RC_ASSERT(!testing::Test::HasFailure());
}

}  // namespace
}  // namespace trireme::server
