// A small model learns in which of three rings a point of the plane lies: PROGRAM [BATCH]
// serial.cc is a plain libtorch loop; distributed.cc is the same loop on any number of workers.
#include <trireme/torch.h>

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

  for (int epoch = 1; epoch <= 5; ++epoch) {
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      torch::nn::functional::cross_entropy(net->forward(batch.data), batch.target).backward();
      exchange.average();
      optimizer.step();
    }
    std::printf("epoch %d: loss %.9g\n", epoch, loss_on(unseen, *net));
  }
  std::printf("norm of the weights: %.17g\n", norm_of_weights(*net));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
