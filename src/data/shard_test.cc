#include "data/shard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random_stream.h"
#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using Indices = std::vector<std::int64_t>;

Indices whole_order(std::int64_t samples, std::uint64_t seed, std::int64_t epoch) {
  RandomStream stream(seed, "data-order", 0, epoch);
  return permutation(samples, stream);
}

Indices zero_to(std::int64_t end) {
  Indices numbers(idx(end));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

Indices sorted(Indices numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<std::int64_t> sizes_of_batch(ShardSpec spec, std::int64_t t) {
  std::vector<std::int64_t> sizes;
  for (spec.rank = 0; spec.rank < spec.workers; ++spec.rank)
    sizes.push_back(ShardedOrder(spec).batch_size(t));
  return sizes;
}

// The samples that all workers see in batch t, in rank order.
Indices seen_in_batch(ShardSpec spec, std::int64_t epoch, std::int64_t t) {
  Indices seen;
  for (spec.rank = 0; spec.rank < spec.workers; ++spec.rank) {
    const ShardedOrder order(spec);
    const Indices mine = order.epoch(epoch);
    const auto batch = order.batch_of(mine, t);
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  return seen;
}

// A spec whose workers, batch and samples give at least one full global batch.
ShardSpec any_spec() {
  ShardSpec spec;
  spec.workers = *rc::gen::inRange<Rank>(1, 9);
  spec.batch = *rc::gen::inRange<std::int64_t>(1, 8);
  spec.samples = spec.workers * spec.batch + *rc::gen::inRange<std::int64_t>(0, 150);
  spec.seed = *rc::gen::arbitrary<std::uint64_t>();
  spec.last = *rc::gen::element(LastBatch::kKeep, LastBatch::kDrop);
  return spec;
}

TEST(ShardedOrder, GivesWorkerIThePermutationsIthSliceOfEachGlobalBatch) {
  const Indices order = whole_order(12, 5, 3);
  for (Rank rank = 0; rank < 3; ++rank) {
    const ShardedOrder mine({.samples = 12, .workers = 3, .rank = rank, .batch = 2, .seed = 5});
    EXPECT_EQ(mine.batches_per_epoch(), 2);
    const std::size_t at = idx(rank) * 2;
    EXPECT_EQ(mine.epoch(3), (Indices{order[at], order[at + 1], order[6 + at], order[6 + at + 1]}));
  }
}

RC_GTEST_PROP(ShardedOrder, OfManyWorkersIsThatOfOneWithTheWholeBatch, ()) {
  const ShardSpec many = any_spec();
  ShardSpec one = many;
  one.workers = 1;
  one.batch = many.workers * many.batch;
  const ShardedOrder order(one);
  const auto epoch = *rc::gen::inRange<std::int64_t>(0, 1000);
  const Indices seen_by_one = order.epoch(epoch);
  RC_ASSERT(ShardedOrder(many).batches_per_epoch() == order.batches_per_epoch());
  for (std::int64_t t = 0; t < order.batches_per_epoch(); ++t) {
    const auto batch = order.batch_of(seen_by_one, t);
    RC_ASSERT(seen_in_batch(many, epoch, t) == Indices(batch.begin(), batch.end()));
    RC_ASSERT(ShardedOrder(many).global_batch_size(t) == std::ssize(batch));
  }
}

RC_GTEST_PROP(ShardedOrder, ShowsEverySampleOncePerEpoch, ()) {
  ShardSpec spec = any_spec();
  spec.last = LastBatch::kKeep;
  Indices seen;
  for (spec.rank = 0; spec.rank < spec.workers; ++spec.rank) {
    const Indices mine = ShardedOrder(spec).epoch(2);
    seen.insert(seen.end(), mine.begin(), mine.end());
  }
  RC_ASSERT(sorted(seen) == zero_to(spec.samples));
}

RC_GTEST_PROP(ShardedOrder, HasEqualBatchesOnlyWhereTheLastIsDropped, ()) {
  ShardSpec spec = any_spec();
  spec.last = LastBatch::kDrop;
  spec.rank = *rc::gen::inRange<Rank>(0, spec.workers);
  const ShardedOrder order(spec);
  const std::int64_t full = spec.samples / (spec.workers * spec.batch);
  RC_ASSERT(order.batches_per_epoch() == full);
  for (std::int64_t t = 0; t < full; ++t) RC_ASSERT(order.batch_size(t) == spec.batch);
  const Indices seen = sorted(order.epoch(0));
  RC_ASSERT(std::ssize(seen) == full * spec.batch);
  RC_ASSERT(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

RC_GTEST_PROP(ShardedOrder, CutsTheLastBatchIntoNearlyEqualSlices, ()) {
  ShardSpec spec = any_spec();
  spec.last = LastBatch::kKeep;
  const ShardedOrder order(spec);
  const std::int64_t last = order.batches_per_epoch() - 1;
  const std::vector<std::int64_t> sizes = sizes_of_batch(spec, last);
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  RC_ASSERT(*most - *least <= 1);
  RC_ASSERT(*most <= spec.batch);
  RC_ASSERT(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == order.global_batch_size(last));
}

TEST(ShardedOrder, GivesSomeWorkersNothingOfALastBatchSmallerThanTheirNumber) {
  const ShardSpec spec{.samples = 14, .workers = 4, .batch = 3};
  EXPECT_EQ(ShardedOrder(spec).batches_per_epoch(), 2);
  EXPECT_EQ(sizes_of_batch(spec, 0), (std::vector<std::int64_t>{3, 3, 3, 3}));
  EXPECT_EQ(sizes_of_batch(spec, 1), (std::vector<std::int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(ShardedOrder(spec).global_batch_size(1), 2);
}

TEST(ShardedOrder, HasNoLastBatchWhereAllAreFull) {
  for (const LastBatch last : {LastBatch::kKeep, LastBatch::kDrop}) {
    EXPECT_EQ(ShardedOrder({.samples = 24, .workers = 4, .batch = 3, .last = last}).batches_per_epoch(), 2);
  }
}

TEST(ShardedOrder, IsAnotherEachEpochAndWithEachSeed) {
  const auto order = [](std::uint64_t seed, std::int64_t epoch) {
    return ShardedOrder({.samples = 100, .batch = 100, .seed = seed}).epoch(epoch);
  };
  EXPECT_EQ(order(1, 0), order(1, 0));
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
  EXPECT_NE(order(1, 0), zero_to(100));
}

TEST(ShardedOrder, MayHaveOneBatchPerEpoch) {
  EXPECT_EQ(ShardedOrder({.samples = 7, .batch = 7}).batches_per_epoch(), 1);
  EXPECT_EQ(sizes_of_batch({.samples = 7, .workers = 7, .batch = 1}, 0), (std::vector<std::int64_t>(7, 1)));
}

std::string refusal(const ShardSpec& spec) {
  return refusal_of([&] { return ShardedOrder(spec); });
}

TEST(ShardedOrder, RefusesABatchLargerThanTheShard) {
  const std::string why =
      "a batch of 26 is larger than a worker's shard: 103 samples shared by 4 workers are 25 for each; give "
      "a batch "
      "of at most 25";
  EXPECT_EQ(refusal({.samples = 103, .workers = 4, .batch = 26}), why);
  EXPECT_EQ(refusal({.samples = 103, .workers = 4, .batch = 26, .last = LastBatch::kDrop}), why);
  EXPECT_EQ(refusal({.samples = 103, .workers = 4, .batch = 25}), "accepted");
  EXPECT_EQ(
      refusal({.samples = 3, .workers = 4, .batch = 1}),
      "3 samples shared by 4 workers are less than one for each; use at most 3 workers, or more samples");
}

TEST(ShardedOrder, RefusesNumbersThatMakeNoSense) {
  EXPECT_EQ(refusal({.samples = 9, .workers = 0}), "there cannot be 0 workers; give 1 or more");
  EXPECT_EQ(refusal({.samples = 9, .workers = 3, .rank = 3}),
            "there is no worker of rank 3 among 3 workers; give a rank from 0 to 2");
  EXPECT_EQ(refusal({.samples = 9, .workers = 3, .rank = -1}),
            "there is no worker of rank -1 among 3 workers; give a rank from 0 to 2");
  EXPECT_EQ(refusal({.samples = 9, .batch = 0}), "a batch cannot have 0 samples; give 1 or more");
  EXPECT_EQ(refusal({.samples = 0}),
            "there is nothing to train on with 0 samples; give a data set that holds some");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(refusal({.samples = 9, .workers = std::numeric_limits<Rank>::max(), .batch = kMost}), "accepted");
}

TEST(ShardedOrder, DoesNotOverflowWithTheLargestNumbers) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr Rank kWorkers = std::numeric_limits<Rank>::max();
  const ShardedOrder order(
      {.samples = kMost, .workers = kWorkers, .rank = kWorkers - 1, .batch = kMost / kWorkers});
  EXPECT_EQ(order.batch_size(0), kMost / kWorkers);
}

RC_GTEST_PROP(TestOrder, ShowsEverySampleToExactlyOneWorker, ()) {
  const auto samples = *rc::gen::inRange<std::int64_t>(0, 200);
  const auto workers = *rc::gen::inRange<Rank>(1, 20);
  Indices seen;
  for (Rank rank = 0; rank < workers; ++rank) {
    const Indices mine = test_order(samples, workers, rank);
    RC_ASSERT(std::ssize(mine) == samples / workers || std::ssize(mine) == samples / workers + 1);
    seen.insert(seen.end(), mine.begin(), mine.end());
  }
  RC_ASSERT(seen == zero_to(samples));
}

TEST(TestOrder, RefusesNumbersThatMakeNoSense) {
  EXPECT_EQ(refusal_of([] { return test_order(9, 2, 2); }),
            "there is no worker of rank 2 among 2 workers; give a rank from 0 to 1");
  EXPECT_EQ(refusal_of([] { return test_order(-1, 2, 0); }),
            "a data set cannot have -1 samples; give 0 or more");
}

}  // namespace
}  // namespace trireme::data
