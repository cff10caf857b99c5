// The loop that a user writes with libtorch alone, on one worker, for comparison with Trireme.
//
//   plain_loop mlp|cnn STEPS
//
// It takes 10 steps to warm up and then STEPS more, and prints one JSON document. It reads the data as
// `trireme train` does, so that neither has an advantage there; everything else is libtorch's own.
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.h"
#include "data/idx_folder.h"

namespace {

constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kWarmUpSteps = 10;
constexpr double kRate = 0.05;

torch::nn::ReLU relu() { return torch::nn::ReLU(torch::nn::ReLUOptions(/*inplace=*/true)); }

torch::nn::Sequential make_mlp() {
  using namespace torch::nn;
  return Sequential(Flatten(), Linear(784, 512), relu(), Linear(512, 256), relu(), Linear(256, 10));
}

torch::nn::Sequential make_cnn() {
  using namespace torch::nn;
  return Sequential(Conv2d(Conv2dOptions(1, 32, 3).padding(1)), relu(), MaxPool2d(2),
                    Conv2d(Conv2dOptions(32, 64, 3).padding(1)), relu(), MaxPool2d(2), Flatten(),
                    Linear(64 * 7 * 7, 128), relu(), Linear(128, 10));
}

// Batches in random order, without the few samples that do not fill a batch.
class Batches {
 public:
  explicit Batches(const trireme::data::Dataset& dataset) : dataset_(dataset) {
    order_.resize(static_cast<std::size_t>(dataset.samples));
    std::iota(order_.begin(), order_.end(), 0);
    std::shuffle(order_.begin(), order_.end(), random_);
  }

  void next() {
    if (place_ + kBatch > order_.size()) {
      std::shuffle(order_.begin(), order_.end(), random_);
      place_ = 0;
    }
    const std::span<const std::int64_t> indices = std::span(order_).subspan(place_, kBatch);
    trireme::data::gather_samples(dataset_, indices,
                                  {samples.data_ptr<float>(), static_cast<std::size_t>(samples.numel())});
    trireme::data::gather_labels(dataset_, indices, {labels.data_ptr<std::int64_t>(), kBatch});
    place_ += kBatch;
  }

  torch::Tensor samples = torch::empty({kBatch, 1, 28, 28});
  torch::Tensor labels = torch::empty({kBatch}, torch::kInt64);

 private:
  const trireme::data::Dataset& dataset_;
  std::vector<std::int64_t> order_;
  std::size_t place_ = 0;
  std::mt19937_64 random_{1};
};

// The number after this word in a /proc file, converted from kilobytes to bytes.
std::int64_t bytes_after(const char* file, std::string_view word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(word)) return std::atoll(line.c_str() + word.size()) * 1024;
  }
  return 0;
}

// In the words of `trireme train`; the comparison measures the memory between two steps.
void say_step(std::int64_t step, std::int64_t steps) {
  std::fprintf(stderr, "plain_loop: step %lld of %lld\n", static_cast<long long>(step),
               static_cast<long long>(steps));
}

void train(torch::nn::Sequential net, std::int64_t timed_steps) {
  using Clock = std::chrono::steady_clock;
  const trireme::data::Dataset data = trireme::data::load_fashion_mnist().train;
  Batches batches(data);
  torch::optim::SGD optimizer(net->parameters(), kRate);
  const std::int64_t steps = kWarmUpSteps + timed_steps;
  Clock::time_point start;
  double loss_value = 0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    if (step == kWarmUpSteps + 1) start = Clock::now();
    batches.next();
    optimizer.zero_grad();
    const torch::Tensor loss =
        torch::nn::functional::cross_entropy(net->forward(batches.samples), batches.labels);
    loss.backward();
    optimizer.step();
    if (step == 1) say_step(step, steps);
    if (step == steps) loss_value = loss.item<double>();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  say_step(steps, steps);
  std::printf(R"({"samples_per_s": %.1f, "loss": %.4f, "peak_rss_bytes": %lld, "pss_bytes": %lld})"
              "\n",
              static_cast<double>(timed_steps * kBatch) / seconds, loss_value,
              static_cast<long long>(bytes_after("/proc/self/status", "VmHWM:")),
              static_cast<long long>(bytes_after("/proc/self/smaps_rollup", "Pss:")));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 3 ? argv[1] : "";
  const std::int64_t steps = argc == 3 ? std::atoll(argv[2]) : 0;
  if ((kind != "mlp" && kind != "cnn") || steps < 1) {
    std::fputs("usage: plain_loop mlp|cnn STEPS\n", stderr);
    return 2;
  }
  try {
    torch::set_num_threads(1);
    torch::manual_seed(1);
    train(kind == "mlp" ? make_mlp() : make_cnn(), steps);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plain_loop: %s\n", error.what());
    return 1;
  }
}
