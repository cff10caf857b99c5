// Checkpoints of your own training program.
//
//   trireme::Checkpoint checkpoint(exchange, "run1");
//   checkpoint.add(optimizer).add(sampler);
//   for (std::int64_t step = checkpoint.load() + 1; …; ++step) {
//     …
//     checkpoint.save(step);  // as often as you like
//   }
//
// A program that is started again goes on from its newest checkpoint with the same bits as if it had never
// stopped: weights and buffers, the state of the rule of `step` or of an optimizer, each worker's random
// generator on the CPU, the sampler's place, and what else you add.
#pragma once

#include <torch/torch.h>
#include <trireme/torch.h>

#include <cstdint>
#include <memory>
#include <string>

namespace trireme {
inline namespace TRIREME_ABI {

/// Checkpoints are folders RUN/checkpoints/step-N, as `trireme train` writes them; weights are in
/// weights.safetensors there, under the module's names. A process that is killed, also while it saves, leaves
/// the checkpoints as they were. With several hosts all should see the folder; on save, what hosts hold that
/// do not see it goes to the host of rank 0. Everything throws `trireme::Error`.
class TRIREME_API Checkpoint {
 public:
  /// Of the module of an Exchange, which outlives it. Dedicated servers take part by themselves.
  Checkpoint(Exchange& exchange, std::string run);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  /// What is kept besides. All of it outlives this; names are those of your choice, each once. That of rank 0
  /// is saved, and all workers get it.
  Checkpoint& add(torch::optim::Optimizer& optimizer);
  /// A data loader with threads of its own asks for batches ahead of the program: save between passes then.
  Checkpoint& add(ShardedSampler& sampler);
  Checkpoint& add(const std::string& name, torch::Tensor& tensor);
  Checkpoint& add(const std::string& name, double& number);
  Checkpoint& add(const std::string& name, std::int64_t& number);  ///< below 2^53
  Checkpoint& add(const std::string& name, int& number);

  /// How many checkpoints the run keeps, the newest; 2 at first, 0: all.
  void keep(std::int64_t count);

  /// *Together*, between two steps. The bytes are copied; they are written while the program goes on, or at
  /// once where memory is short, and in other modes than sync. Waits for the save before. Rank 0 says on
  /// standard error when a save has failed, and the program goes on. `step` is the checkpoint's name and
  /// counts up.
  void save(std::int64_t step);
  /// *Together.* Waits until everything is written. Throws on rank 0 when the last save has failed. Without
  /// it the end of the Exchange waits.
  void wait();
  /// *Together*, before the first step. Goes on from the newest complete checkpoint and returns its step, or
  /// 0 if there is none. It may be of another number of workers or servers; if its model is another, the
  /// error names the first tensor that differs.
  std::int64_t load();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace TRIREME_ABI
}  // namespace trireme
