#include "train/output/server_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::train {
namespace server_share {

using testing::ElementsAre;

rounds::BucketLayout bucket_of(std::vector<std::int64_t> counts, std::size_t first_number = 0) {
  rounds::BucketLayout bucket;
  for (const std::int64_t count : counts) {
    bucket.places.push_back({.gradient = first_number++, .first = bucket.elements, .count = count});
    bucket.elements += count;
  }
  return bucket;
}

plan::PlanSpec plan_of(const rounds::BucketLayout& bucket, std::int32_t servers) {
  return plan::spec_for(plan::Strategy::kParameterServer, 1, bucket.elements, servers);
}

TEST(ServerShares, NameVariablesAndCutOnes) {
  const rounds::BucketLayout bucket = bucket_of({6, 2});
  const plan::PlanSpec plan = plan_of(bucket, 2);
  const auto shares = shares_of(std::span(&plan, 1), std::span(&bucket, 1), {"w", "b"}, 3);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_THAT(shares[0].variables, ElementsAre("w[0:4]"));
  EXPECT_THAT(shares[1].variables, ElementsAre("w[4:6]", "b"));
  EXPECT_EQ(shares[1].rank, 4);
  EXPECT_EQ(shares[1].bytes(), 16);
}

TEST(ServerShares, AddUpOverBuckets) {
  const rounds::BucketLayout buckets[] = {bucket_of({4}), bucket_of({2, 2}, 1)};
  const plan::PlanSpec plans[] = {plan_of(buckets[0], 2), plan_of(buckets[1], 2)};
  const auto shares = shares_of(plans, buckets, {"a", "b", "c"}, 1);
  EXPECT_THAT(shares[0].variables, ElementsAre("a[0:2]", "b"));
  EXPECT_THAT(shares[1].variables, ElementsAre("a[2:4]", "c"));
  EXPECT_EQ(shares[0].elements, 4);
}

TEST(ServerShares, AreNoneWithoutServers) {
  const rounds::BucketLayout bucket = bucket_of({6});
  const plan::PlanSpec plan = plan::spec_for(plan::Strategy::kParameterServer, 3, 6, 0);
  EXPECT_TRUE(shares_of(std::span(&plan, 1), std::span(&bucket, 1), {"w"}, 3).empty());
  EXPECT_TRUE(lines_of(std::vector<ServerShare>()).empty());
}

TEST(ServerShares, SayWhoHasTheMost) {
  const std::vector<ServerShare> shares = {{.rank = 2, .elements = 250, .variables = {"a", "b"}},
                                           {.rank = 3, .elements = 100, .variables = {"c"}}};
  EXPECT_THAT(lines_of(shares), ElementsAre("server S1 (rank 2) holds 1 kB of 2 variables, the most",
                                            "server S2 (rank 3) holds 400 bytes of 1 variable"));
}

TEST(ServerShares, OfOneServerAreNotCompared) {
  EXPECT_THAT(lines_of({{.rank = 2, .elements = 250, .variables = {"a"}}}),
              ElementsAre("server S1 (rank 2) holds 1 kB of 1 variable"));
}

TEST(ServerShares, TellPrograms) {
  EXPECT_EQ(to_json({{.rank = 2, .elements = 2, .variables = {"a", "b[0:1]"}}, {.rank = 3}}).dump(),
            R"([{"share":0,"server":"S1","rank":2,"variables":["a","b[0:1]"],"bytes":8,"busiest":true},)"
            R"({"share":1,"server":"S2","rank":3,"variables":[],"bytes":0,"busiest":false}])");
}

}  // namespace server_share
}  // namespace trireme::train
