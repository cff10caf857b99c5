// Decides which worker sees which sample when. The seed gives one permutation per epoch. Global batch t is
// elements [t·n·B, (t+1)·n·B) of it, and worker i of n takes the i-th slice of B. So n workers with batch B
// together see, in rank order, exactly what one worker with batch n·B sees.
//
// If n·B does not divide the number of samples, the last global batch of an epoch has r < n·B samples. It is
// either left out or cut by the rule that cuts buffers: worker i takes [⌊i·r/n⌋, ⌊(i+1)·r/n⌋) of it. These
// slices differ by at most one sample and are never larger than B; with r < n some are empty. The average
// over all samples is then no longer the average over workers: each worker's average has the weight
// batch_size(t) / global_batch_size(t).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace trireme::data {

enum class LastBatch {
  kKeep,  ///< every sample is seen once per epoch; the last batch may be smaller, and empty for some workers
  kDrop,  ///< all batches have B samples; up to n·B − 1 samples, different ones in each epoch, are not seen
};

struct ShardSpec {
  std::int64_t samples = 0;
  Rank workers = 1;
  Rank rank = 0;
  std::int64_t batch = 1;  ///< B, for each worker
  std::uint64_t seed = 0;
  LastBatch last = LastBatch::kKeep;
};

/// One worker's part of every epoch. It is the same on every machine and needs no communication.
class ShardedOrder {
 public:
  /// Throws `Error` (bad input) if there is no such worker, or if B is larger than ⌊samples/n⌋, so that there
  /// is not even one full global batch.
  explicit ShardedOrder(const ShardSpec& spec);

  /// The same number for all workers, never 0.
  [[nodiscard]] std::int64_t batches_per_epoch() const;

  /// The number of samples of this worker in batch t of an epoch; for t in [0, batches_per_epoch()).
  [[nodiscard]] std::int64_t batch_size(std::int64_t t) const;

  /// The number of samples of all workers together in batch t.
  [[nodiscard]] std::int64_t global_batch_size(std::int64_t t) const;

  /// The indices of this worker's samples in epoch `number` (0, 1, 2 …), batch after batch.
  [[nodiscard]] std::vector<std::int64_t> epoch(std::int64_t number) const;

  /// Batch t of the indices that `epoch` returned.
  [[nodiscard]] std::span<const std::int64_t> batch_of(std::span<const std::int64_t> epoch,
                                                       std::int64_t t) const;

 private:
  // The position in the permutation where this worker's slice of global batch t begins.
  [[nodiscard]] std::int64_t slice_begin(std::int64_t t) const;

  ShardSpec spec_;
};

/// This worker's part of a test set: chunk `rank` of the samples in their own order, [⌊i·s/n⌋, ⌊(i+1)·s/n⌋)
/// for s samples. All workers together see each sample exactly once; with s < n some see none. Throws `Error`
/// (bad input) if there is no such worker.
[[nodiscard]] std::vector<std::int64_t> test_order(std::int64_t samples, Rank workers, Rank rank);

}  // namespace trireme::data
