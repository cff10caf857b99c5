// What modes other than sync refuse, and in which words; and workers that do not agree or are lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "api/world_test_util.h"
#include "libtorch/free_test_util.h"

namespace trireme::libtorch {
namespace free_refusals {

using testing::AllOf;
using testing::HasSubstr;

constexpr Rank kWorkers = 2;

// What the last of these nodes is told, which would be the server.
std::string refusal(const ExchangeOptions& options, Rank nodes = kWorkers + 1) {
  std::string words;
  exec::run_on(exec::Fabric::kThreads, nodes, [&](wire::Wire& wire) {
    World world = world_on(wire);
    Slope net;
    const std::string own = thrown_by([&] { serve(world, net, options); });
    if (wire.rank() == nodes - 1) words = own;
  });
  return words;
}

TEST(AFreeMode, NeedsAParameterServer) {
  for (const char* strategy : {"ring", "auto", "direct"}) {
    ExchangeOptions options = freely("async", 0);
    options.strategy = strategy;
    EXPECT_THAT(refusal(options),
                AllOf(HasSubstr("mode async needs servers, and " + options.strategy + " has none"),
                      HasSubstr("parameter-server")));
  }
}

TEST(AFreeMode, NeedsDedicatedServers) {
  EXPECT_THAT(refusal(freely("ssp:2", 0)),
              AllOf(HasSubstr("mode ssp:2 needs dedicated servers: a worker that computes cannot answer"),
                    HasSubstr("ExchangeOptions::servers")));
}

TEST(AFreeMode, LeavesAWorkerInTheRound) {
  EXPECT_THAT(refusal(freely("backup:2")), HasSubstr("mode backup:2 leaves no worker of 2"));
  EXPECT_THAT(refusal(freely("backup:7")), HasSubstr("mode backup:7 leaves no worker of 2"));
}

TEST(AFreeMode, MustBeKnown) {
  EXPECT_THAT(refusal(freely("asink")), AllOf(HasSubstr("there is no mode 'asink'"), HasSubstr("ssp:3")));
  EXPECT_THAT(refusal(freely("")), HasSubstr("there is no mode ''"));
  EXPECT_THAT(refusal(freely("ssp")), HasSubstr("there is no mode 'ssp'"));
  EXPECT_THAT(refusal(freely("ssp:-1")), HasSubstr("-1"));
  EXPECT_THAT(refusal(freely("async:3")), HasSubstr("there is no mode 'async:3'"));
}

TEST(AFreeMode, MustKnowWhatRatesAreDividedBy) {
  ExchangeOptions options = freely("async");
  options.staleness_rate = "worker";
  EXPECT_THAT(refusal(options), AllOf(HasSubstr("'worker'"), HasSubstr("workers")));
}

// The words of a worker; the server is told that it has left.
std::string refused_step(const ExchangeOptions& options, const RuleSpec& rule,
                         torch::ScalarType type = torch::kFloat32) {
  std::string words;
  exec::run_on(exec::Fabric::kThreads, 2, [&](wire::Wire& wire) {
    World world = world_on(wire);
    Slope net;
    net.to(type);
    const std::string own = thrown_by([&] {
      if (wire.rank() == 1) return serve(world, net, options);
      Exchange exchange(world, net, options);
      net.backward(1);
      exchange.step(rule);
    });
    EXPECT_NE(own, "") << "rank " << wire.rank();
    if (wire.rank() == 0) words = own;
  });
  return words;
}

TEST(AFreeMode, TakesFloat32Alone) {
  EXPECT_THAT(refused_step(freely("async"), plain_sgd(), torch::kFloat64),
              AllOf(HasSubstr("needs all weights to be float32"), HasSubstr("net->to(torch::kFloat32)")));
}

TEST(AFreeMode, HasNoNormOfTheWholeModel) {
  RuleSpec rule = default_rule(RuleKind::kSteepestLinf);
  rule.whole_model = true;
  ExchangeOptions options = freely("async");
  options.whole_tensors = true;
  EXPECT_THAT(
      refused_step(options, rule),
      AllOf(HasSubstr("a norm of the whole model needs the gradients of all workers in one step, and mode "
                      "async has none"),
            HasSubstr("mode sync")));
  options.groups = {{.match = "bias", .rule = rule}};
  EXPECT_THAT(refused_step(options, plain_sgd()), HasSubstr("a norm of the whole model"))
      << "also of a group";
}

TEST(AFreeMode, NeedsWholeTensorsForRulesThatLookAtThem) {
  EXPECT_THAT(
      refused_step(freely("async"), default_rule(RuleKind::kLamb)),
      AllOf(HasSubstr("lamb needs the whole of weight"), HasSubstr("ExchangeOptions::whole_tensors")));
}

TEST(AFreeMode, RefusesAnAverageAndGoesOn) {
  train_freely<Slope>(exec::Fabric::kThreads, kWorkers, freely("async"),
                      [](World&, Exchange& exchange, Slope& net) {
                        net.backward(1);
                        EXPECT_THAT(thrown_by([&] { exchange.average(); }), HasSubstr("use step(rule)"));
                        exchange.step(plain_sgd());
                        EXPECT_THAT(thrown_by([&] { exchange.average(); }), HasSubstr("use step(rule)"));
                        exchange.finish();
                        EXPECT_EQ(net.moved(), 0.125 * kWorkers);
                      });
}

// What each node throws; one worker is another one's double, but for its options or its loop.
using Loop = std::function<void(World&, Exchange&, Slope&)>;
std::vector<std::string> complaints(const std::function<ExchangeOptions(Rank)>& options_of, const Loop& loop,
                                    exec::Fabric fabric = exec::Fabric::kThreads) {
  std::vector<std::string> words(3);
  exec::run_on(fabric, 3, [&](wire::Wire& wire) {
    World world = world_on(wire);
    const ExchangeOptions options = options_of(wire.rank());
    Slope net;
    words[idx(wire.rank())] = thrown_by([&] {
      if (wire.rank() >= kWorkers) return serve(world, net, options);
      Exchange exchange(world, net, options);
      loop(world, exchange, net);
    });
  });
  return words;
}

TEST(AFreeMode, IsThatOfAllNodes) {
  const auto nothing = [](World&, Exchange&, Slope&) {};
  for (const Rank other : {1, 2}) {
    const auto words =
        complaints([&](Rank rank) { return freely(rank == other ? "ssp:1" : "async"); }, nothing);
    for (const std::string& own : words)
      EXPECT_THAT(own, AllOf(HasSubstr("mode async"), HasSubstr("mode ssp:1")));
  }
}

TEST(AFreeMode, DividesRatesAlikeOnAllNodes) {
  const auto words = complaints(
      [](Rank rank) {
        ExchangeOptions options = freely("async");
        if (rank == 1) options.staleness_rate = "staleness";
        return options;
      },
      [](World&, Exchange&, Slope&) {});
  for (const std::string& own : words) EXPECT_THAT(own, HasSubstr("divided by staleness"));
}

ExchangeOptions async_of(Rank /*rank*/) { return freely("async"); }

TEST(AFreeMode, KeepsTheConstantsOfItsRule) {
  const auto words = complaints(async_of, [](World& world, Exchange& exchange, Slope& net) {
    RuleSpec rule = default_rule(RuleKind::kMomentum);
    for (int step = 0; step < 1000; ++step) {
      if (world.rank() == 1 && step == 3) rule.momentum = 0.5;
      net.backward(1);
      exchange.step(rule);
    }
  });
  EXPECT_THAT(words[1], HasSubstr("another update rule than the first; only the rate may change"));
  for (const Rank other : {0, 2}) EXPECT_THAT(words[idx(other)], HasSubstr("rank 1"));
}

TEST(AFreeMode, KeepsTheConstantsOfItsRuleAfterASum) {
  const auto words = complaints(async_of, [](World&, Exchange& exchange, Slope& net) {
    RuleSpec rule = default_rule(RuleKind::kMomentum);
    for (int phase = 0; phase < 2; ++phase) {
      net.backward(1);
      exchange.step(rule);
      std::array<double, 1> none{0};
      exchange.sum(none);
      rule.momentum = 0.5;
    }
  });
  for (const std::string& own : words) EXPECT_THAT(own, HasSubstr("another update rule than the first"));
}

// A phase begins with one rule for all.
TEST(AFreeMode, HasOneRuleForAllWorkers) {
  const auto words = complaints(async_of, [](World& world, Exchange& exchange, Slope& net) {
    RuleSpec rule = default_rule(RuleKind::kMomentum);
    if (world.rank() == 1) rule.momentum = 0.5;
    net.backward(1);
    exchange.step(rule);
  });
  for (const std::string& own : words) EXPECT_THAT(own, HasSubstr("momentum"));
}

TEST(AFreeMode, IsNotStrict) {
  ExchangeOptions options = freely("async");
  options.strict = true;
  EXPECT_THAT(refusal(options), HasSubstr("ExchangeOptions::strict compares the gradients of all workers"));
}

TEST(AFreeMode, NamesAParameterThatHasBecomeOfAnotherType) {
  const auto words = complaints(async_of, [](World& world, Exchange& exchange, Slope& net) {
    if (world.rank() == 1) net.to(torch::kFloat64);
    for (int step = 0; step < 1000; ++step) {
      net.backward(1);
      exchange.step(plain_sgd());
    }
  });
  EXPECT_THAT(words[1],
              HasSubstr("the parameter weight was of Float when the Exchange was made and is of Double now"));
  for (const Rank other : {0, 2}) EXPECT_THAT(words[idx(other)], HasSubstr("rank 1"));
}

TEST(AFreeMode, IsOverForAllWhenOneThrows) {
  for (const exec::Fabric fabric :
       {exec::Fabric::kThreads, exec::Fabric::kShmThreads, exec::Fabric::kTcpThreads}) {
    for (const Rank culprit : {0, 1}) {
      exec::run_on(fabric, 3, [&](wire::Wire& wire) {
        World world = world_on(wire);
        Slope net;
        try {
          if (wire.rank() == 2) return serve(world, net, freely("ssp:1"));
          Exchange exchange(world, net, freely("ssp:1"));
          for (int step = 0; step < 1'000'000; ++step) {
            if (world.rank() == culprit && step == 5) throw std::runtime_error("the loss is no number");
            net.backward(1);
            exchange.step(plain_sgd());
          }
          ADD_FAILURE() << "no complaint";
        } catch (const Error& error) {
          EXPECT_EQ(error.failure().culprit, culprit) << error.what();
          EXPECT_NE(error.failure().cause, Failure::Cause::kTimeout) << error.what();
        } catch (const std::runtime_error&) {
          EXPECT_EQ(world.rank(), culprit);
        }
      });
    }
  }
}

enum class End { kExits, kIsKilled };

// Every node that is left says whether it was told who is lost. Two workers and two servers.
void expect_to_be_named(const char* mode, Rank lost, End end) {
  constexpr Rank kNodes = 4;
  const exec::SharedBytes right(idx(kNodes));
  launch::JobOptions job;
  job.nodes = kNodes;
  job.memory = wire::shm::Segment::create(kNodes);
  job.grace = std::chrono::seconds(20);  // for those that are left to say it
  static_cast<void>(launch::run_job(job, [&](Rank rank) {
    World world = join(0, nullptr);
    Slope net;
    std::thread([&] {
      if (rank != lost) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // any instant will do
      end == End::kExits ? ::_exit(0) : static_cast<void>(::kill(::getpid(), SIGKILL));
    }).detach();
    try {
      Exchange exchange(world, net, freely(mode, 2));
      for (int step = 0; step < 100'000'000; ++step) {
        net.backward(1);
        exchange.step(plain_sgd());
      }
    } catch (const Error& error) {
      const bool is_right =
          error.failure().culprit == lost && error.failure().cause != Failure::Cause::kTimeout;
      if (!is_right) std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      right.data()[rank] = std::byte{is_right};
    }
    return 1;
  }));
  for (Rank rank = 0; rank < kNodes; ++rank) {
    if (rank == lost) continue;
    EXPECT_EQ(right.data()[rank], std::byte{1})
        << "rank " << rank << " in mode " << mode << " without " << lost;
  }
}

TEST(AFreeMode, NamesAWorkerThatIsKilled) {
  for (const char* mode : {"async", "ssp:1", "backup:1"}) expect_to_be_named(mode, 1, End::kIsKilled);
}
TEST(AFreeMode, NamesAWorkerThatExitsWithoutAWord) {
  for (const char* mode : {"async", "ssp:1", "backup:1"}) expect_to_be_named(mode, 0, End::kExits);
}
TEST(AFreeMode, NamesAServerThatIsKilled) {
  for (const Rank server : {2, 3}) expect_to_be_named("async", server, End::kIsKilled);
}

}  // namespace free_refusals
}  // namespace trireme::libtorch
