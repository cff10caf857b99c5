// Trireme for libtorch: a serial training loop becomes one of many workers.
//
//   auto world = trireme::join(argc, argv);
//   trireme::Exchange exchange(world, *net);
//   trireme::ShardedSampler sampler(data_set_size, world, seed);
//   auto loader = torch::data::make_data_loader(std::move(data_set), sampler, batch);
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
#include <utility>
#include <vector>

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

/// The optional of libtorch's samplers, which is not the same type in all of its versions.
template <typename T>
struct OptionalOf;
template <template <typename> typename Optional, typename T>
struct OptionalOf<Optional<T>> {
  template <typename U>
  using Of = Optional<U>;
};
template <typename T>
using TorchOptional =
    OptionalOf<decltype(std::declval<torch::data::samplers::Sampler<>&>().next(1))>::template Of<T>;

/// Which samples this worker sees, and in which order: in each epoch one permutation of all samples, made
/// from the seed. n workers of batch B see together what one worker of batch n·B sees. No two workers see the
/// same sample in an epoch, and all have the same number of batches: of a last, smaller batch each has a part
/// if that is at least one sample for each; say `exchange.samples(…)` then, for the parts may differ by one.
///
/// A data loader keeps a copy; copies share their state, so that `set_epoch` on any of them tells all.
class ShardedSampler : public torch::data::samplers::Sampler<> {
 public:
  ShardedSampler(std::size_t samples, const World& world, std::uint64_t seed);

  /// The next pass over the data is this epoch's. Without it each pass is the epoch after the one before.
  void set_epoch(std::size_t epoch);

  void reset(TorchOptional<std::size_t> samples = {}) override;
  /// Throws `Error` when there are not enough samples for one such batch on every worker.
  TorchOptional<std::vector<std::size_t>> next(std::size_t batch) override;
  /// The epoch and the place in it.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace trireme
