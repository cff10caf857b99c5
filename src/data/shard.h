// Who sees which sample when. With one permutation per epoch, from the seed, global batch t is elements
// [t·n·B, (t+1)·n·B) of it, and worker i of n takes the i-th slice of B. So n workers of batch B see
// together, in rank order, exactly what one worker of batch n·B sees.
//
// An epoch's last global batch has r < n·B samples where n·B does not divide them all. It is either left out
// or cut by the same rule as buffers are: worker i takes [⌊i·r/n⌋, ⌊(i+1)·r/n⌋) of it. Those slices differ by
// one sample at most and are never larger than B; with r < n some are empty. The average over all samples is
// then no longer the average over workers: each worker's has the weight batch_size(t) / global_batch_size(t).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace trireme::data {

enum class LastBatch {
  kKeep,  ///< every sample is seen once per epoch; the last batch may be smaller, for some workers empty
  kDrop,  ///< all batches are of B; up to n·B − 1 samples, others each epoch, are not seen
};

struct ShardSpec {
  std::int64_t samples = 0;
  Rank workers = 1;
  Rank rank = 0;
  std::int64_t batch = 1;  ///< B, of each worker
  std::uint64_t seed = 0;
  LastBatch last = LastBatch::kKeep;
};

/// The part of one worker in every epoch. The same on every machine; needs no word from the others.
class ShardedOrder {
 public:
  /// Throws `Error` (bad input) when there is no such worker, or when B is larger than ⌊samples/n⌋: then
  /// there is not one full global batch.
  explicit ShardedOrder(const ShardSpec& spec);

  /// The same number for all workers, and never 0.
  [[nodiscard]] std::int64_t batches_per_epoch() const;

  /// How many samples this worker has in batch t of an epoch; for t in [0, batches_per_epoch()).
  [[nodiscard]] std::int64_t batch_size(std::int64_t t) const;

  /// How many all workers have together in batch t.
  [[nodiscard]] std::int64_t global_batch_size(std::int64_t t) const;

  /// The numbers of this worker's samples in an epoch, 0, 1, 2 …, batch after batch.
  [[nodiscard]] std::vector<std::int64_t> epoch(std::int64_t number) const;

  /// Batch t out of what `epoch` gave.
  [[nodiscard]] std::span<const std::int64_t> batch_of(std::span<const std::int64_t> epoch,
                                                       std::int64_t t) const;

 private:
  // Where this worker's slice of global batch t begins in the permutation.
  [[nodiscard]] std::int64_t slice_begin(std::int64_t t) const;

  ShardSpec spec_;
};

/// What this worker sees of a test set: chunk `rank` of samples in their own order, [⌊i·s/n⌋, ⌊(i+1)·s/n⌋)
/// for s samples. All workers together see each sample exactly once; with s < n some see none. Throws `Error`
/// (bad input) when there is no such worker.
[[nodiscard]] std::vector<std::int64_t> test_order(std::int64_t samples, Rank workers, Rank rank);

}  // namespace trireme::data
