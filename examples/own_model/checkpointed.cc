// distributed.cc with checkpoints: PROGRAM BATCH RUN [EPOCHS]. Started again with the same RUN it goes on
// from the newest one, and ends with the same bits as if it had never stopped.
#include <trireme/checkpoint.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

// Random points, and the ring of each.
struct Points : torch::data::datasets::Dataset<Points> {
  explicit Points(std::int64_t count)
      : places(torch::rand({count, 2}) * 2 - 1), rings((places.norm(2, 1) * 2).to(torch::kInt64)) {}
  torch::data::Example<> get(std::size_t i) override {
    const auto row = static_cast<std::int64_t>(i);
    return {places[row], rings[row]};
  }
  torch::optional<std::size_t> size() const override { return static_cast<std::size_t>(places.size(0)); }

  torch::Tensor places;
  torch::Tensor rings;
};

struct Net : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first->forward(x));
    x = torch::relu(second->forward(x));
    return last->forward(x);
  }

  torch::nn::Linear first = register_module("first", torch::nn::Linear(2, 64));
  torch::nn::Linear second = register_module("second", torch::nn::Linear(64, 64));
  torch::nn::Linear last = register_module("last", torch::nn::Linear(64, 3));
};

// The loss on points that are not used for training.
double loss_on(const Points& points, Net& net) {
  const torch::NoGradGuard no_gradients;
  return torch::nn::functional::cross_entropy(net.forward(points.places), points.rings).item<double>();
}

double norm_of_weights(const Net& net) {
  const torch::Tensor weights = torch::nn::utils::parameters_to_vector(net.parameters());
  return weights.to(torch::kFloat64).norm().item<double>();
}

int main(int argc, char** argv) try {
  trireme::World world = trireme::join(argc, argv);
  const std::size_t batch_size = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 64;
  torch::manual_seed(1);
  Points points(8192);
  const Points unseen(1024);
  auto net = std::make_shared<Net>();
  trireme::Exchange exchange(world, *net);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.02).momentum(0.9));
  trireme::ShardedSampler sampler(*points.size(), exchange.workers(), 1);
  auto loader =
      torch::data::make_data_loader(points.map(torch::data::transforms::Stack<>()), sampler, batch_size);

  trireme::Checkpoint checkpoint(exchange, argc > 2 ? argv[2] : "run1");
  checkpoint.add(optimizer).add(sampler);
  const std::int64_t epochs = argc > 3 ? std::atoll(argv[3]) : 5;
  for (std::int64_t epoch = checkpoint.load() + 1; epoch <= epochs; ++epoch) {
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      torch::nn::functional::cross_entropy(net->forward(batch.data), batch.target).backward();
      exchange.average();
      optimizer.step();
    }
    std::printf("epoch %d: loss %.9g\n", static_cast<int>(epoch), loss_on(unseen, *net));
    checkpoint.save(epoch);
  }
  std::printf("norm of the weights: %.17g\n", norm_of_weights(*net));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
