// Measures how many samples a second are trained on, and where the time goes.
#pragma once

#include <chrono>
#include <cstdint>

namespace trireme::train {

/// The time of one worker over the whole training, in seconds.
struct TimeSplit {
  double compute = 0;           ///< forward and backward
  double exchange_exposed = 0;  ///< waiting for an exchange: what backward did not hide
  double data = 0;              ///< putting batches together
  double update = 0;            ///< the update rule
  double evaluation = 0;        ///< on the test set
  double saving = 0;            ///< what it waited for checkpoints

  [[nodiscard]] double all() const {
    return compute + exchange_exposed + data + update + evaluation + saving;
  }
};

/// Gives the time since the last question, or since it was made.
class LapClock {
 public:
  double lap() {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - last_;
    last_ = now;
    return since.count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point last_ = Clock::now();
};

/// Samples per second of training steps alone. The first 10, in which caches fill and threads start, do not
/// count as soon as there are others.
class Throughput {
 public:
  static constexpr std::int64_t kWarmUpSteps = 10;

  void add_step(std::int64_t samples, double seconds);
  /// 0 before the first step.
  [[nodiscard]] double samples_per_second() const;
  [[nodiscard]] double seconds_per_step() const;
  /// Counts the steps since the last `begin_interval`, or all if there was none; 0 without any.
  [[nodiscard]] double samples_per_second_of_interval() const;
  void begin_interval() { interval_ = {}; }

 private:
  struct Sum {
    std::int64_t steps = 0;
    std::int64_t samples = 0;
    double seconds = 0;
  };
  static void add(Sum& sum, std::int64_t samples, double seconds);
  [[nodiscard]] static double rate(const Sum& sum);
  [[nodiscard]] const Sum& best() const { return later_.steps > 0 ? later_ : first_; }

  Sum first_;
  Sum later_;
  Sum interval_;
};

}  // namespace trireme::train
