// Trireme for libtorch: a serial training loop becomes one of many workers.
//
//   auto world = trireme::join(argc, argv);
//   trireme::Exchange exchange(world, *net);
//   …
//   loss.backward();
//   exchange.average();
//   optimizer.step();
//
// Started alone it is a job of one, in which every exchange leaves the gradients as they are.
#pragma once

#include <torch/torch.h>
#include <trireme/trireme.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace trireme {

struct ExchangeOptions {
  /// How gradients are exchanged: auto, all-to-all, ring, direct, recursive-doubling, halving-doubling, tree
  /// or hierarchical. (A parameter server updates weights by itself, which `average` does not.)
  std::string strategy = "auto";
  /// Gradients travel in buckets of about this size.
  std::size_t bucket_bytes = std::size_t{4} << 20;
  /// What becomes of the module's buffers, such as the statistics of a batch norm, with each average.
  enum class Buffers {
    kFromRank0,  ///< all take those of rank 0
    kAverage,    ///< those of floating-point numbers are averaged, others taken from rank 0
    kOwn,        ///< each worker keeps its own
  } buffers = Buffers::kFromRank0;
  /// A parameter that got a gradient on no worker is an error that names it. Otherwise it counts as zero.
  bool strict = false;
};

/// Averages the gradients of a module over all workers. Calls marked *together* are made by all workers, in
/// the same order. Everything throws `trireme::Error`.
///
/// From its construction on the gradients live in its buckets: where workers share a host that is memory
/// which all of them see, and nothing is copied. Gradients may be zeroed in place or set to none; the next
/// ones are taken into the buckets. Afterwards every parameter that requires a gradient has one.
///
/// Frozen, tied and non-contiguous parameters, several parameter groups and parameters on other devices are
/// fine; numbers are float32 or float64. World and module outlive it, and the module keeps its parameters.
class Exchange {
 public:
  /// *Together.* All workers take the weights and buffers of rank 0. Workers whose modules or options differ
  /// are told so.
  Exchange(World& world, torch::nn::Module& module, ExchangeOptions options = {});
  /// During an exception it tells the others that this worker gives up.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// *Together*, if at all: the loss that the next `average` is for was a mean over so many samples of this
  /// worker, at least 0. The average is then one over samples and not over workers.
  void samples(std::int64_t count);

  /// *Together.* Call it after backward: every gradient becomes the average of all workers'.
  void average();

  /// As long as the answer lives `average` does nothing, and gradients add up from one backward to the next.
  [[nodiscard]] std::shared_ptr<void> no_sync();

  /// What all averages so far have sent and received on this worker, counted by the wire; it equals the
  /// plan's.
  struct Traffic {
    std::int64_t messages = 0;  ///< sent
    std::int64_t bytes = 0;
    std::int64_t rounds = 0;  ///< averages
  };
  [[nodiscard]] Traffic traffic() const;
  [[nodiscard]] std::size_t buckets() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace trireme
