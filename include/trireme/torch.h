// Trireme for libtorch: a serial training loop becomes one of many workers.
//
//   auto world = trireme::join(argc, argv);
//   trireme::Exchange exchange(world, *net);
//   trireme::ShardedSampler sampler(data_set_size, exchange.workers(), seed);
//   auto loader = torch::data::make_data_loader(std::move(data_set), sampler, batch);
//   …
//   loss.backward();
//   exchange.average();
//   optimizer.step();
//
// With an update rule of Trireme, which also works through parameter servers, replace the last two lines by:
//
//   exchange.step(rule);
//
// Started alone it is a job of one worker, in which an exchange changes nothing.
//
// Workers with the same random seed draw the same numbers, and so drop out the same units. Give each worker
// its own seed after the model is made; all workers take the weights of rank 0 anyway:
//
//   torch::manual_seed(seed + world.rank());
#pragma once

#include <torch/torch.h>
#include <trireme/parameter_group.h>
#include <trireme/rule.h>
#include <trireme/trireme.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trireme {
inline namespace TRIREME_ABI {

/// Group's operations take tensors: dense ones of kFloat, kDouble, kHalf, kBFloat16, kChar, kInt, kLong or
/// kByte; others throw `Error`. One that is contiguous on the CPU is used in place. Of any other, a
/// contiguous copy on the CPU is used, and a result is copied back into the tensor. Nothing is recorded for
/// backward, and a backward that needs the numbers from before says so, as after any operation of libtorch in
/// place.
template <>
struct TRIREME_API NumbersOf<torch::Tensor> {
  /// Keeps the tensor alive. Ends the program with libtorch's words where a result cannot be copied back.
  [[nodiscard]] static Lent lend(const torch::Tensor& numbers, bool written);
};
/// A tensor is a handle: what it refers to is written even so.
template <>
struct NumbersOf<const torch::Tensor> : NumbersOf<torch::Tensor> {};

struct ExchangeAccess;

struct ExchangeOptions {
  /// Strategy of the exchange: auto, all-to-all, ring, direct, recursive-doubling, halving-doubling, tree,
  /// hierarchical, or parameter-server, which updates the weights where they are held and therefore needs
  /// `step`.
  std::string strategy = "auto";
  /// With parameter-server: the number of dedicated servers, which are the last ranks of the group; 0: every
  /// worker holds a share of the weights. What else the workers do together, they do in the group
  /// `Exchange::workers()`.
  Rank servers = 0;
  /// With dedicated servers: for whom a worker waits before it goes on with the weights of its next step.
  /// sync: for all workers; async: for none; ssp:K: for workers that are more than K steps behind it;
  /// backup:B: for all but the B slowest of each step, whose gradients are dropped. In other modes than sync
  /// every gradient is the one of a single worker (with backup: the average of those that came in time), the
  /// servers update with it as soon as it comes, and workers need not have equally many batches. `samples`
  /// has no effect unless they are 0, gradients are clipped before they are sent, each worker keeps its own
  /// buffers until it finishes, what a program writes into weights is lost unless they were frozen all the
  /// time, and a call that all workers make *together*, other than `step`, waits for all.
  std::string mode = "sync";
  /// In the modes async and ssp, what a gradient's learning rate is divided by: workers (their number),
  /// staleness (the updates between reading the weights and this update, if there are any), or none.
  std::string staleness_rate = "workers";
  /// Gradients travel in buckets of about this size.
  std::size_t bucket_bytes = std::size_t{4} << 20;
  /// Each average or step also treats the module's buffers, such as the statistics of a batch norm.
  enum class Buffers {
    kFromRank0,  ///< all take those of rank 0
    kAverage,    ///< those of floating-point numbers are averaged, others taken from rank 0
    kOwn,        ///< each worker keeps its own
  } buffers = Buffers::kFromRank0;
  /// A parameter that requires a gradient and got none on any worker is an error that names it. Otherwise it
  /// stays as it is.
  bool strict = false;
  /// `step` scales all averaged gradients together so that their norm is at most this; 0: it does not.
  double clip_norm = 0;
  /// Parameters that `step` updates in another way than the rest: by another rule, with another rate or
  /// weight decay. A group that matches no parameter is an error that names the parameters.
  std::vector<ParameterGroup> groups{};
  /// With parameter-server: no share cuts a tensor, so that its holder can update it by a rule that looks at
  /// all of it, such as muon and lamb. Holders then have unequally much to do, and some perhaps nothing.
  bool whole_tensors = false;
  /// Decides who keeps the exchange going while backward still runs.
  enum class Drive {
    kMeasure,  ///< the one that is fastest in the first steps; standard error says which
    kAfter,    ///< nobody: the exchange begins with `average` or `step`
    kHooks,    ///< backward itself, between gradients
    kThread,   ///< a thread of its own
  } drive = Drive::kMeasure;
};

/// Averages the gradients of a module over all workers of a group: of the World, or of a part of it. Calls
/// marked *together* are made by all workers, in the same order. Everything throws `trireme::Error`.
///
/// Parameters have gradients as in a serial program:
///
/// - If any worker has a gradient, all workers have the average afterwards; a worker that has none counts
///   as zero.
/// - A parameter for which no worker has one keeps none, and no rule moves it. Zeros that the program put
///   there are a gradient; zeros that `step` has left are not, until something is added to them.
/// - A parameter that requires no gradient at the moment is left alone, and its `.grad`, too. It can be
///   frozen and unfrozen at any time before a forward, on all workers alike; if they differ, the error says
///   who differs in what. A parameter that was frozen from the start is sent only once it has been unfrozen.
///
/// After the first average, `.grad` lies in buckets. If workers share a host, buckets are memory that all of
/// them see, and nothing is copied. Gradients may be zeroed in place or set to none; the next ones are taken
/// into the buckets. A gradient tensor that a program keeps changes with the next backward and exchange; it
/// can outlive the Exchange and the World, with the numbers that it had when the Exchange ended.
///
/// A bucket may be exchanged as soon as backward has filled it: run one backward for each average or step, or
/// hold `no_sync` during all but the last.
///
/// Frozen, tied and non-contiguous parameters, several parameter groups and parameters on other devices are
/// fine; gradients of those on other devices, and of those whose memory is not in the order of their elements
/// (channels last), are copied to the buckets and back. Numbers are float32 or float64, and the type of a
/// parameter stays. Group and module outlive it, and the module keeps its parameters.
///
/// A program may have several at once, each for a module of its own, and use them in the same order on every
/// worker; then all workers have equally many batches, and there are no dedicated servers. Those of groups
/// that do not overlap know nothing of each other.
class TRIREME_API Exchange {
 public:
  /// *Together.* All workers take the weights and buffers of rank 0. Workers whose modules or options differ
  /// are told so. On a rank that is a server it does not return: it serves until all workers are done, and
  /// ends the process. Other nodes of the job do not learn this: a group in which they are with a server
  /// waits for it in vain.
  Exchange(Group& group, torch::nn::Module& module, ExchangeOptions options = {});
  /// Finishes, if nobody has. During an exception it tells the others that this worker gives up.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// The workers: without dedicated servers the group that the Exchange was made of, else a group without
  /// them, in which this worker has the same rank. It is for everything that workers do together besides
  /// rounds, for their servers follow only these: calls of a group that holds a server are refused. It lives
  /// as long as the Exchange.
  [[nodiscard]] Group& workers();

  /// Any worker may call it before backward: the gradient of the next `average` or `step` is the mean over
  /// this many samples, at least 0. The average is then over samples and not over workers; a worker that does
  /// not call it counts as one sample. If several backwards add up to one gradient, call it before the last
  /// of them with the total of all their batches, and divide the sum of losses of each batch by that total.
  void samples(std::int64_t count);

  /// *Together*, but see `finish`. Call it after backward: gradients become the average of all workers'. Not
  /// with parameter-server.
  void average();

  /// *Together*, but see `finish`. Call it after backward: averages the gradients, updates the weights that
  /// have one by the rule, and zeroes these gradients. The rule is the same on all workers; its rate may
  /// change from step to step. The Exchange keeps the state of the rule, and counts steps from 1 for each
  /// parameter. Weights are float32. With parameter-server a rule that needs whole tensors also needs
  /// `ExchangeOptions::whole_tensors`.
  ///
  /// In modes other than sync each worker calls it as often as it likes: it pushes its own gradient to the
  /// servers and returns with the weights of their answers. Only the first call after another *together*
  /// waits for all workers.
  void step(const RuleSpec& rule);

  /// While the returned object lives, `average` and `step` do nothing, and gradients add up from one backward
  /// to the next.
  [[nodiscard]] std::shared_ptr<void> no_sync();

  /// *Together*, but see `finish`. Replaces each number by its sum over all workers, added up in the order of
  /// their ranks; workers that have finished add zeros, and cannot call it any more. It is meant for a few
  /// numbers, such as losses and counts.
  void sum(std::span<double> numbers);

  /// *Together.* This worker has no more batches. It goes on with the others until all have finished, so that
  /// nobody waits for it: they average over those that are left. Then all hold the same weights and buffers.
  void finish();

  /// This worker leaves the job and tells all others the reason; no collective call is possible afterwards.
  /// An exception that passes the destructor does the same, with fewer words.
  void give_up(const Failure& why) noexcept;

  /// The messages that all averages and steps so far have sent on this worker, with those that norms over
  /// shares need, as the wire counted them and as the plan says; the two are equal.
  struct Traffic {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t messages_planned = 0;
    std::int64_t bytes_planned = 0;
    std::int64_t other_messages = 0;  ///< everything else: weights at the start, buffers, notes, sums
    std::int64_t other_bytes = 0;
    std::int64_t rounds = 0;  ///< averages and steps
    double update_s = 0;      ///< time that updates of weights have taken
  };
  [[nodiscard]] Traffic traffic() const;
  /// *Together*, but see `finish`. The traffic of all workers and servers added up; the time is the longest.
  [[nodiscard]] Traffic job_traffic();
  [[nodiscard]] std::size_t buckets() const;

 private:
  friend struct ExchangeAccess;
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

/// Gives this worker its samples, in their order: each epoch is one permutation of all samples, made from the
/// seed. n workers of batch B see together what one worker of batch n·B sees. No two workers see the same
/// sample in an epoch, and all have the same number of batches. A last, smaller batch is divided among all
/// workers if it has at least one sample for each; call `exchange.samples(…)` then, for the parts may differ
/// by one.
///
/// A data loader keeps a copy; copies share their state, so that `set_epoch` on any of them tells all.
class TRIREME_API ShardedSampler : public torch::data::samplers::Sampler<> {
 public:
  /// `workers` are those of an Exchange, `exchange.workers()`. A group of which an Exchange makes some
  /// members servers is refused: here if it has done so already, else by `next`.
  ShardedSampler(std::size_t samples, const Group& workers, std::uint64_t seed);

  /// The next pass over the data begins this epoch. Without this call, each pass is the epoch after the one
  /// before.
  void set_epoch(std::size_t epoch);

  void reset(TorchOptional<std::size_t> samples = {}) override;
  /// Throws `Error` when there are not enough samples for one such batch on every worker.
  TorchOptional<std::vector<std::size_t>> next(std::size_t batch) override;
  /// Saves the epoch and the place in it, which is behind the last batch that was asked for. A data loader
  /// with threads of its own asks for batches ahead of the program; save between passes then.
  void save(torch::serialize::OutputArchive& archive) const override;
  /// Continues: the next pass is the rest of that epoch, or the epoch after it if nothing is left.
  void load(torch::serialize::InputArchive& archive) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace TRIREME_ABI
}  // namespace trireme
