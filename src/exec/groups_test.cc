// Exchanges in groups of nodes: the same values, bits and counters as in a job of that size, on every wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/trials_test_util.h"
#include "exec/conformance_test_util.h"
#include "exec/exchange_test_util.h"
#include "exec/fabrics_test_util.h"
#include "wire/group_wire.h"
#include "wire/notes.h"

namespace trireme::exec {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

using Group = std::unique_ptr<wire::Wire>;

// A group as a test expects it: the job's ranks of its members, in order.
using Ranks = std::vector<Rank>;

Ranks ranks_of(const wire::Wire& wire) {
  Ranks ranks;
  for (Rank member = 0; member < wire.size(); ++member) ranks.push_back(wire.members().job_rank(member));
  return ranks;
}

// Every way to exchange in this group gives what it gives in a job of that size.
void expect_right_exchanges(wire::Wire& group, Memory memory, std::int64_t p) {
  for (std::int32_t workers = 1; workers <= group.size(); ++workers) {
    for (const plan::PlanSpec& spec : all_specs(workers, p)) {
      if (spec.nodes() != group.size()) continue;
      SCOPED_TRACE(in_words(spec));
      const ElementType type = ElementType::kFloat32;
      const NodeExchanged after = exchange_on(group, memory, spec, type, Reduction::kSum,
                                              small_numbers(spec, type)[idx(group.rank())], 2);
      EXPECT_TRUE(spec.is_server(group.rank()) || are_same(after.buffer, sum_of_small_numbers(spec, type)));
      EXPECT_EQ(after.counters, tally_of(spec, group.rank(), type));
    }
  }
}

void expect_right_exchanges(wire::Wire& group, std::int64_t p) {
  expect_right_exchanges(group, Memory::kPrivate, p);
  if (group.windows() != nullptr) expect_right_exchanges(group, Memory::kWindow, p);
}

// One exchange of one number by ring. The sum of the ranks in the job tells who took part.
void expect_sum_of(wire::Wire& group, const Ranks& members) {
  plan::PlanSpec spec;
  spec.workers = group.size();
  spec.parameters = 1;
  Runner runner(spec, ElementType::kInt64, group);
  std::int64_t number = std::int64_t{1} << group.members().job_rank(group.rank());
  runner.run(std::as_writable_bytes(std::span(&number, 1)), in_time());
  std::int64_t sum = 0;
  for (const Rank member : members) sum += std::int64_t{1} << member;
  EXPECT_EQ(number, sum);
}

using Setting = std::tuple<Fabric, Rank>;

class Groups : public testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] static Rank nodes() { return std::get<1>(GetParam()); }
  static void on_all(const NodeBody& body) { run_on(std::get<0>(GetParam()), nodes(), body); }
};

TEST_P(Groups, ExchangeLikeJobsOfTheirSize) {
  on_all([](wire::Wire& job) {
    const Group half = split(job, job.rank() % 2, 0, in_time());
    for (const std::int64_t p : {0, 1, 5, 1000}) expect_right_exchanges(*half, p);
  });
}

TEST_P(Groups, OfLargeBuffersExchangeLikeJobsOfTheirSize) {
  on_all([](wire::Wire& job) {
    const Group half = split(job, job.rank() % 2, 0, in_time());
    plan::PlanSpec spec;
    spec.workers = half->size();
    spec.parameters = 200'003;
    for (const plan::Strategy strategy : {plan::Strategy::kRing, plan::Strategy::kDirect}) {
      spec.strategy = strategy;
      const ElementType type = ElementType::kFloat32;
      const NodeExchanged after = exchange_on(*half, Memory::kPrivate, spec, type, Reduction::kSum,
                                              small_numbers(spec, type)[idx(half->rank())], 1);
      EXPECT_TRUE(are_same(after.buffer, sum_of_small_numbers(spec, type)));
    }
  });
}

TEST_P(Groups, HaveTheirMembersInTheOrderOfKeysAndRanks) {
  on_all([](wire::Wire& job) {
    const Group reversed = split(job, 5, -job.rank(), in_time());
    ASSERT_EQ(reversed->size(), job.size());
    EXPECT_EQ(reversed->rank(), job.size() - 1 - job.rank());
    EXPECT_EQ(reversed->members().job_rank(0), job.size() - 1);
    const Group same = split(*reversed, 7, 0, in_time());
    EXPECT_EQ(ranks_of(*same), ranks_of(*reversed));
    expect_sum_of(*same, ranks_of(job));
  });
}

TEST_P(Groups, ThatOverlapDoNotMixUpTheirMessages) {
  on_all([](wire::Wire& job) {
    const Group pair = split(job, job.rank() / 2, 0, in_time());
    const Group shifted = split(job, (job.rank() + 1) / 2, -job.rank(), in_time());
    const Group all = split(job, 0, (job.rank() * 3) % job.size(), in_time());
    for (int round = 0; round < 3; ++round) {
      expect_sum_of(*pair, ranks_of(*pair));
      expect_sum_of(*shifted, ranks_of(*shifted));
      expect_sum_of(job, ranks_of(job));
      expect_sum_of(*all, ranks_of(job));
    }
    expect_right_exchanges(*shifted, 17);
  });
}

// Some start one group's exchange first, some the other's: nobody waits for another group's message.
TEST_P(Groups, MayBeStartedInDifferentOrdersByTheirMembers) {
  on_all([](wire::Wire& job) {
    const Group one = split(job, 0, 0, in_time());
    const Group other = split(job, 0, -job.rank(), in_time());
    plan::PlanSpec spec;
    spec.workers = job.size();
    spec.parameters = 40'001;  // more than a ring of bytes holds
    Runner runners[] = {{spec, ElementType::kInt32, *one}, {spec, ElementType::kInt32, *other}};
    for (Runner& runner : runners) runner.prepare(in_time());
    for (int round = 0; round < 2; ++round) {
      std::vector<std::int32_t> numbers[] = {std::vector<std::int32_t>(idx(spec.parameters), 1),
                                             std::vector<std::int32_t>(idx(spec.parameters), 10)};
      for (const std::size_t turn : {0U, 1U}) {
        const std::size_t which = (turn + idx(job.rank())) % 2;
        runners[which].start(std::as_writable_bytes(std::span(numbers[which])), in_time());
      }
      for (bool done = false; !done;) {
        const bool first = runners[0].poll();
        done = runners[1].poll() && first;
      }
      EXPECT_EQ(numbers[0], std::vector<std::int32_t>(idx(spec.parameters), job.size()));
      EXPECT_EQ(numbers[1], std::vector<std::int32_t>(idx(spec.parameters), 10 * job.size()));
    }
  });
}

TEST_P(Groups, MayBeOfOneNodeOrLeaveNodesOut) {
  on_all([](wire::Wire& job) {
    const Group alone = split(job, job.rank(), 0, in_time());
    EXPECT_EQ(ranks_of(*alone), Ranks{job.rank()});
    expect_right_exchanges(*alone, 5);
    wire::barrier(*alone, in_time());
    const bool takes_part = job.rank() > 0;
    const Group others =
        split(job, takes_part ? std::optional<std::int64_t>(-1) : std::nullopt, 0, in_time());
    ASSERT_EQ(others != nullptr, takes_part);
    if (!takes_part) return;
    EXPECT_EQ(others->size(), job.size() - 1);
    wire::barrier(*others, in_time());
    expect_right_exchanges(*others, 5);
  });
}

TEST_P(Groups, HaveWindowsWhereTheirMembersShareMemory) {
  on_all([](wire::Wire& job) {
    const Group half = split(job, job.rank() % 2, 0, in_time());  // nodes of one host, where there are two
    EXPECT_EQ(half->windows() != nullptr,
              job.kind() == wire::WireKind::kShm || job.kind() == wire::WireKind::kMixed);
    const Group all = split(job, 0, 0, in_time());
    EXPECT_EQ(all->windows() != nullptr, job.kind() == wire::WireKind::kShm);
  });
}

TEST_P(Groups, CountTheirOwnMessagesAlone) {
  on_all([](wire::Wire& job) {
    const Group half = split(job, job.rank() % 2, 0, in_time());
    const wire::Counters before = job.counters();
    expect_sum_of(*half, ranks_of(*half));
    EXPECT_EQ(job.counters(), before);
    const wire::Counters of_half = half->counters();
    expect_sum_of(job, ranks_of(job));
    EXPECT_EQ(half->counters(), of_half);
  });
}

std::string setting_name(const testing::TestParamInfo<Setting>& tested) {
  return name(std::get<0>(tested.param)) + "_" + std::to_string(std::get<1>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(OnEveryWire, Groups,
                         testing::Combine(testing::Values(Fabric::kThreads, Fabric::kShmThreads,
                                                          Fabric::kShmProcesses, Fabric::kTcpThreads,
                                                          Fabric::kTcpProcesses, Fabric::kMixedThreads),
                                          testing::Values(2, 3, 4, 5, 7)),
                         setting_name);

// Random splits of random groups, each followed by an exchange.
void split_at_random(wire::Wire& job, unsigned seed, int splits) {
  std::mt19937 random(seed);  // the same on all nodes
  std::vector<Group> groups;  // of this node
  for (int i = 0; i < splits; ++i) {
    std::vector<int> colors;
    std::vector<int> keys;
    for (Rank rank = 0; rank < job.size(); ++rank) {
      colors.push_back(static_cast<int>(random() % 3));
      keys.push_back(static_cast<int>(random() % 3));
    }
    const std::size_t own = idx(job.rank());
    Group made = split(job, colors[own], keys[own], in_time());
    expect_sum_of(*made, ranks_of(*made));
    if (random() % 4 == 0) groups.clear();
    groups.push_back(std::move(made));
  }
}

TEST(GroupsAtRandom, AreRightAThousandTimes) {
  constexpr int kSplits = 1000;
  const int splits = kSplits / one_trial_in(10, 1);
  for (const Fabric fabric :
       {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads, Fabric::kMixedThreads}) {
    SCOPED_TRACE(name(fabric));
    run_on(fabric, 4, [&](wire::Wire& job) { split_at_random(job, 77, splits / 4); });
  }
}

TEST(DisjointGroups, DoNotWaitForEachOther) {
  for (const Fabric fabric :
       {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads, Fabric::kMixedThreads}) {
    SCOPED_TRACE(name(fabric));
    std::atomic<int> rounds_of_others{0};
    run_on(fabric, 4, [&](wire::Wire& job) {
      const Group pair = split(job, job.rank() / 2, 0, in_time());
      if (job.rank() / 2 == 1) {  // only when the others have done all of theirs
        while (rounds_of_others < 200) std::this_thread::yield();
      }
      for (int round = 0; round < 100; ++round) {
        expect_sum_of(*pair, ranks_of(*pair));
        ++rounds_of_others;
      }
    });
  }
}

// The failure that each node of a job gets; nothing for those that get none.
std::vector<std::optional<Failure>> failures_on(Fabric fabric, Rank nodes, const NodeBody& body) {
  std::vector<std::optional<Failure>> failures(idx(nodes));
  run_on(fabric, nodes, [&](wire::Wire& job) {
    try {
      body(job);
    } catch (const Error& error) {
      failures[idx(job.rank())] = error.failure();
    }
  });
  return failures;
}

TEST(GroupFailure, NamesTheLateMemberByItsRankInTheJob) {
  for (const Fabric fabric :
       {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads, Fabric::kMixedThreads}) {
    SCOPED_TRACE(name(fabric));
    // The group 4, 2, 0 by its ranks 0, 1, 2; and 2 does not come before the others have failed.
    std::atomic<int> failed{0};
    const auto failures = failures_on(fabric, 5, [&](wire::Wire& job) {
      const Group group = split(job, job.rank() % 2, -job.rank(), in_time());
      if (job.rank() == 2) {
        while (failed < 2) std::this_thread::yield();
      }
      if (job.rank() % 2 == 1 || job.rank() == 2) return;
      plan::PlanSpec spec;
      spec.workers = 3;
      spec.parameters = 300;
      Runner runner(spec, ElementType::kFloat32, *group);
      Numbers numbers(1200);
      try {
        runner.run(numbers, Deadline::after(std::chrono::milliseconds(300)));
      } catch (const Error&) {
        ++failed;
        throw;
      }
    });
    for (const std::size_t rank : {0U, 4U}) {
      ASSERT_TRUE(failures[rank]);
      EXPECT_EQ(failures[rank]->rank, static_cast<Rank>(rank)) << to_string(*failures[rank]);
      EXPECT_EQ(failures[rank]->culprit, 2) << to_string(*failures[rank]);
    }
  }
}

TEST(GroupFailure, SaysWhoCalledAnotherOperationByRanksInTheJob) {
  for (const Fabric fabric : {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads}) {
    SCOPED_TRACE(name(fabric));
    const auto failures = failures_on(fabric, 5, [](wire::Wire& job) {
      const Group group = split(job, job.rank() % 2, -job.rank(), in_time());
      if (job.rank() % 2 == 1) return;
      plan::PlanSpec spec;
      spec.workers = 3;
      spec.parameters = job.rank() == 2 ? 7 : 8;
      Runner runner(spec, ElementType::kFloat32, *group);
      Numbers numbers(idx(spec.parameters) * 4);
      runner.run(numbers, in_time());
    });
    for (const std::size_t rank : {0U, 2U, 4U}) {
      ASSERT_TRUE(failures[rank]);
      EXPECT_THAT(failures[rank]->what,
                  AllOf(HasSubstr("rank 2 at sum of 7"), HasSubstr("ranks 4 and 0 at sum of 8")));
      EXPECT_EQ(failures[rank]->culprit, 2);
    }
  }
}

TEST(GroupFailure, OfAProcessThatDiesNamesItToAllMembers) {
  const SharedBytes named(5);
  std::fill_n(named.data(), 5, std::byte{0});
  run_on(Fabric::kShmProcesses, 5, [&](wire::Wire& job) {
    const Group group = split(job, job.rank() % 2, -job.rank(), in_time());
    expect_sum_of(*group, ranks_of(*group));
    if (job.rank() == 2) ::_exit(0);
    try {
      for (int i = 0; i < 2; ++i) wire::barrier(*group, in_time());
    } catch (const Error& error) {
      named.data()[job.rank()] = static_cast<std::byte>(error.failure().culprit.value_or(99));
    }
  });
  EXPECT_EQ(named.data()[0], std::byte{2});
  EXPECT_EQ(named.data()[4], std::byte{2});
  EXPECT_EQ(named.data()[1], std::byte{0});  // the other group
  EXPECT_EQ(named.data()[3], std::byte{0});
}

TEST(GroupFailure, OfOneGroupIsHeardByTheOther) {
  for (const Fabric fabric : {Fabric::kThreads, Fabric::kShmThreads, Fabric::kTcpThreads}) {
    SCOPED_TRACE(name(fabric));
    // 0 and 1 fail in their group; 2 waits for 1 in another.
    const auto failures = failures_on(fabric, 3, [](wire::Wire& job) {
      const Group low = split(job, job.rank() < 2 ? std::optional(0) : std::nullopt, 0, in_time());
      const Group high = split(job, job.rank() > 0 ? std::optional(0) : std::nullopt, 0, in_time());
      if (job.rank() == 0) {
        Failure failure;
        failure.rank = 0;
        failure.what = "on purpose";
        low->leave(failure);
        return;
      }
      if (job.rank() == 1) wire::barrier(*low, in_time());
      wire::barrier(*high, in_time());
    });
    for (const std::size_t rank : {1U, 2U}) {
      ASSERT_TRUE(failures[rank]) << rank;
      EXPECT_EQ(failures[rank]->culprit, 0) << to_string(*failures[rank]);
    }
  }
}

}  // namespace
}  // namespace trireme::exec
