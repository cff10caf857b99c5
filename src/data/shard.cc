#include "data/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/error.h"
#include "base/random_stream.h"
#include "base/text.h"

namespace trireme::data {
namespace {

// ⌊i·count/n⌋ without overflow: where slice i begins.
std::int64_t border(std::int64_t i, std::int64_t count, std::int64_t n) {
  return i * (count / n) + i * (count % n) / n;
}

void check_worker(Rank workers, Rank rank) {
  if (workers < 1) throw bad_input(fmt::format("there cannot be {} workers", workers), "give 1 or more");
  if (rank < 0 || rank >= workers) {
    throw bad_input(fmt::format("there is no worker of rank {} among {}", rank, counted(workers, "worker")),
                    fmt::format("give a rank from 0 to {}", workers - 1));
  }
}

void check_batch(const ShardSpec& spec) {
  if (spec.batch < 1) {
    throw bad_input(fmt::format("a batch cannot have {} samples", spec.batch), "give 1 or more");
  }
  const std::int64_t shard = spec.samples / spec.workers;
  if (spec.batch <= shard) return;
  const std::string shared =
      fmt::format("{} shared by {}", counted(spec.samples, "sample"), counted(spec.workers, "worker"));
  if (shard == 0) {
    throw bad_input(fmt::format("{} are less than one for each", shared),
                    fmt::format("use at most {}, or more samples", counted(spec.samples, "worker")));
  }
  throw bad_input(fmt::format("a batch of {} is larger than a worker's shard: {} are {} for each",
                              with_commas(spec.batch), shared, with_commas(shard)),
                  fmt::format("give a batch of at most {}", with_commas(shard)));
}

}  // namespace

ShardedOrder::ShardedOrder(const ShardSpec& spec) : spec_(spec) {
  check_worker(spec.workers, spec.rank);
  if (spec.samples < 1) {
    throw bad_input(fmt::format("there is nothing to train on with {} samples", spec.samples),
                    "give a data set that holds some");
  }
  check_batch(spec);
}

std::int64_t ShardedOrder::batches_per_epoch() const {
  const std::int64_t global_batch = spec_.workers * spec_.batch;
  const bool has_rest = spec_.samples % global_batch != 0 && spec_.last == LastBatch::kKeep;
  return spec_.samples / global_batch + (has_rest ? 1 : 0);
}

std::int64_t ShardedOrder::global_batch_size(std::int64_t t) const {
  assert(t >= 0 && t < batches_per_epoch());
  const std::int64_t global_batch = spec_.workers * spec_.batch;
  return std::min(global_batch, spec_.samples - t * global_batch);
}

std::int64_t ShardedOrder::slice_begin(std::int64_t t) const {
  return t * spec_.workers * spec_.batch + border(spec_.rank, global_batch_size(t), spec_.workers);
}

std::int64_t ShardedOrder::batch_size(std::int64_t t) const {
  const std::int64_t count = global_batch_size(t);
  return border(std::int64_t{spec_.rank} + 1, count, spec_.workers) -
         border(spec_.rank, count, spec_.workers);
}

std::vector<std::int64_t> ShardedOrder::epoch(std::int64_t number) const {
  RandomStream stream(spec_.seed, "data-order", 0, number);
  const std::vector<std::int64_t> order = permutation(spec_.samples, stream);
  std::vector<std::int64_t> mine;
  for (std::int64_t t = 0; t < batches_per_epoch(); ++t) {
    const auto first = order.begin() + slice_begin(t);
    mine.insert(mine.end(), first, first + batch_size(t));
  }
  return mine;
}

std::span<const std::int64_t> ShardedOrder::batch_of(std::span<const std::int64_t> epoch,
                                                     std::int64_t t) const {
  return epoch.subspan(idx(t * spec_.batch), idx(batch_size(t)));  // only the last batch can be smaller
}

std::vector<std::int64_t> test_order(std::int64_t samples, Rank workers, Rank rank) {
  check_worker(workers, rank);
  if (samples < 0) {
    throw bad_input(fmt::format("a data set cannot have {} samples", samples), "give 0 or more");
  }
  const std::int64_t first = border(rank, samples, workers);
  std::vector<std::int64_t> order(idx(border(std::int64_t{rank} + 1, samples, workers) - first));
  std::iota(order.begin(), order.end(), first);
  return order;
}

}  // namespace trireme::data
