// Trainings that are saved and go on, on workers and servers of one process or of several.
#include "libtorch/state_saver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>

#include "api/world_test_util.h"
#include "checkpoint/names.h"
#include "checkpoint/rule_state.h"
#include "checkpoint/saved.h"
#include "launch/launch_test_util.h"
#include "libtorch/exchange_access.h"
#include "libtorch/nets_test_util.h"
#include "libtorch/serving.h"
#include "libtorch/worlds_test_util.h"

namespace trireme::libtorch {
namespace saving {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr exec::Fabric kFabrics[] = {exec::Fabric::kThreads, exec::Fabric::kShmThreads,
                                     exec::Fabric::kTcpThreads};

struct Shape {
  std::string strategy;
  Rank workers = 3;
  Rank servers = 0;
  RuleKind rule = RuleKind::kAdam;

  [[nodiscard]] ExchangeOptions options() const {
    ExchangeOptions options{.strategy = strategy, .servers = servers, .bucket_bytes = 64};
    options.whole_tensors = rule == RuleKind::kMuon;
    return options;
  }
  [[nodiscard]] std::string name() const { return strategy + " " + std::to_string(servers); }
};

const Shape kShapes[] = {{"all-to-all"},
                         {"ring"},
                         {"ring", 1},
                         {"tree"},
                         {"parameter-server"},
                         {"parameter-server", 3, 2},
                         {"parameter-server", 3, 2, RuleKind::kMuon}};

// The training of one worker in a test: its net, and what it does with it.
struct Training {
  Training(World& world, const Shape& shape)
      : net(net_of(world.rank())), exchange(world, *net, shape.options()), rule(default_rule(shape.rule)) {}

  [[nodiscard]] Rounds& rounds() { return ExchangeAccess::rounds(exchange); }
  void take_steps(Rank rank, int from, int to) {
    for (int step = from; step < to; ++step) {
      loss_of(net, input_of(rank).add(0.01 * step)).backward();
      exchange.step(rule);
    }
  }
  [[nodiscard]] SaveRequest request(const fs::path& run, std::int64_t step, bool in_background = true) const {
    SaveRequest request;
    request.run = run;
    request.config = "# of a test\n";
    request.state.step = step;
    request.in_background = in_background;
    return request;
  }

  torch::nn::Sequential net;
  Exchange exchange;
  RuleSpec rule;
};

// Runs the body on all workers; the last ranks serve.
void on_nodes(exec::Fabric fabric, const Shape& shape, const std::function<void(World&, Training&)>& body) {
  on_workers(fabric, shape.workers + shape.servers, [&](World& world) {
    if (world.rank() >= shape.workers) return serve(world, *net_of(world.rank()), shape.options());
    Training training(world, shape);
    body(world, training);
    training.exchange.finish();
  });
}

// The weights after steps [from, to), of rank 0. With a run it goes on from there, and is saved at the end.
std::string weights_after(exec::Fabric fabric, const Shape& shape, int from, int to,
                          const fs::path& run = {}) {
  std::string weights;
  on_nodes(fabric, shape, [&](World& world, Training& training) {
    if (from > 0) static_cast<void>(training.rounds().load({.folder = run}));
    training.take_steps(world.rank(), from, to);
    if (!run.empty()) training.rounds().save(training.request(run, to));
    if (world.rank() == 0) weights = weights_of(training.net);
  });
  return weights;
}

TEST(StateSaver, LetsATrainingGoOnWithTheSameBits) {
  for (const exec::Fabric fabric : kFabrics) {
    for (const Shape& shape : kShapes) {
      const ScratchFolder run;
      const std::string expected = weights_after(fabric, shape, 0, 7);
      weights_after(fabric, shape, 0, 3, run.path());
      weights_after(fabric, shape, 3, 4, run.path());
      EXPECT_EQ(weights_after(fabric, shape, 4, 7, run.path()), expected)
          << exec::name(fabric) << " " << shape.name();
    }
  }
}

// All workers have the same gradients, so that the average does not depend on their number if that is a power
// of two.
TEST(StateSaver, GivesItsStateToAnyOtherDivisionOfIt) {
  const auto train = [](const Shape& shape, int from, int to, const fs::path& run) {
    std::string weights;
    on_nodes(exec::Fabric::kShmThreads, shape, [&](World& world, Training& training) {
      if (from > 0) static_cast<void>(training.rounds().load({.folder = run}));
      training.take_steps(0, from, to);
      if (from == 0) training.rounds().save(training.request(run, to));
      if (world.rank() == 0) weights = weights_of(training.net);
    });
    return weights;
  };
  const Shape divisions[] = {
      {"all-to-all", 2}, {"ring", 4}, {"parameter-server", 4}, {"parameter-server", 2, 3}};
  for (const Shape& before : divisions) {
    const ScratchFolder run;
    train(before, 0, 3, run.path());
    const std::string expected = train(before, 3, 6, run.path());
    for (const Shape& after : divisions) {
      EXPECT_EQ(train(after, 3, 6, run.path()), expected) << before.name() << " to " << after.name();
    }
  }
}

TEST(StateSaver, WritesWhileTheTrainingGoesOn) {
  const ScratchFolder run;
  const Shape shape{"parameter-server", 3, 1};
  on_nodes(exec::Fabric::kShmThreads, shape, [&](World& world, Training& training) {
    training.take_steps(world.rank(), 0, 2);
    training.rounds().save(training.request(run.path(), 2));
    training.take_steps(world.rank(), 2, 5);  // does not change what is saved
    training.rounds().settle();
    const std::optional<SaveResult> result = training.rounds().take_saved();
    ASSERT_EQ(result.has_value(), world.rank() == 0);
    if (!result) return;
    EXPECT_FALSE(result->failure.has_value());
    EXPECT_EQ(result->folder, checkpoint::step_folder(run.path(), 2));
  });
  const checkpoint::Saved saved = checkpoint::Saved::open(run.path());
  EXPECT_TRUE(saved.damages().empty());
  const ScratchFolder other;
  weights_after(exec::Fabric::kShmThreads, shape, 0, 2, other.path());
  EXPECT_EQ(content(saved.folder() / "weights.safetensors"),
            content(checkpoint::step_folder(other.path(), 2) / "weights.safetensors"));
}

TEST(StateSaver, IsThroughWithASaveAfterStepsAlone) {
  const ScratchFolder run;
  on_nodes(exec::Fabric::kThreads, {"ring"}, [&](World& world, Training& training) {
    training.take_steps(world.rank(), 0, 1);
    training.rounds().save(training.request(run.path(), 1, /*in_background=*/false));
    training.take_steps(world.rank(), 1, 2);  // its notes say that all have written
    if (world.rank() != 0) return;
    std::optional<SaveResult> result;
    for (int i = 0; i < 6000 && !result; ++i) {
      result = training.rounds().take_saved();
      if (!result) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(result);
    EXPECT_EQ(result->step, 1);
  });
}

TEST(StateSaver, KeepsWhatWasLoadedOfParametersThatAreNotTrained) {
  const ScratchFolder run;
  const Shape shape{"ring", 2};
  weights_after(exec::Fabric::kShmThreads, shape, 0, 3, run.path());
  const auto file_of = [&](std::int64_t step) {
    const checkpoint::Saved saved = checkpoint::Saved::open(checkpoint::step_folder(run.path(), step));
    std::vector<checkpoint::SafetensorsFile> files;
    for (const std::string& name : saved.files_of("rule-")) files.push_back(saved.open_file(name));
    return checkpoint::RuleStateReader(std::move(files));
  };
  on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
    torch::nn::Sequential net = net_of(0);
    net[0]->as<torch::nn::Linear>()->weight.set_requires_grad(false);  // never trained here
    Exchange exchange(world, *net, shape.options());
    Rounds& rounds = ExchangeAccess::rounds(exchange);
    static_cast<void>(rounds.load({.folder = run.path()}));
    SaveRequest request;
    request.run = run.path();
    request.state.step = 4;
    rounds.save(request);
    net[2]->as<torch::nn::Linear>()->weight.set_requires_grad(false);  // not trained since it was loaded
    loss_of(net, input_of(0)).backward();
    exchange.step(default_rule(RuleKind::kAdam));
    request.state.step = 5;
    rounds.save(request);
    exchange.finish();
  });
  const checkpoint::RuleStateReader first = file_of(3);
  for (const std::int64_t step : {4, 5}) {
    const checkpoint::RuleStateReader later = file_of(step);
    for (const std::string name : {"0.weight", "2.weight"}) {
      std::vector<float> expected(12);
      std::vector<float> found(12);
      EXPECT_EQ(first.read(name, "exp_avg", 0, expected), 12) << name;
      EXPECT_EQ(later.read(name, "exp_avg", 0, found), 12) << name << step;
      EXPECT_EQ(found, expected) << name << step;
      EXPECT_EQ(later.steps(name, 0, 12), 3) << name << step;
    }
    EXPECT_EQ(later.steps("0.bias", 0, 4), step == 4 ? 3 : 4);
  }
}

TEST(StateSaver, LetsTheTrainingGoOnWhereNothingCanBeWritten) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "no folder";
  on_nodes(exec::Fabric::kShmThreads, {"ring"}, [&](World& world, Training& training) {
    training.take_steps(world.rank(), 0, 1);
    training.rounds().save(training.request(file, 1));
    training.take_steps(world.rank(), 1, 2);
    training.rounds().settle();
    const std::optional<SaveResult> result = training.rounds().take_saved();
    ASSERT_EQ(result.has_value(), world.rank() == 0);
    if (!result) return;
    EXPECT_THAT(result->failure.value().what, HasSubstr(file.string()));
  });
}

TEST(StateSaver, IsRefusedByAnotherModelOnAllNodes) {
  const ScratchFolder run;
  weights_after(exec::Fabric::kShmThreads, {"ring"}, 0, 1, run.path());
  on_workers(exec::Fabric::kShmThreads, 3, [&](World& world) {
    torch::nn::Sequential other(torch::nn::Linear(5, 4), torch::nn::ReLU(), torch::nn::Linear(4, 2));
    Exchange exchange(world, *other, {.strategy = "ring"});
    EXPECT_THAT(
        thrown_by([&] { static_cast<void>(ExchangeAccess::rounds(exchange).load({.folder = run.path()})); }),
        HasSubstr("2.weight is F32 2 × 4 here and F32 3 × 4 in the checkpoint"));
  });
}

TEST(StateSaver, TellsAllWorkersAtTheSameStepWhatOneWishes) {
  on_nodes(exec::Fabric::kShmThreads, {"parameter-server", 3, 1}, [&](World& world, Training& training) {
    for (int step = 0; step < 4; ++step) {
      if (step == 2 && world.rank() == 1) training.rounds().wish(rounds::kWishStop);
      training.take_steps(world.rank(), step, step + 1);
      EXPECT_EQ(training.rounds().take_wishes(), step == 2 ? rounds::kWishStop : 0) << step;
    }
  });
}

TEST(StateSaver, KeepsTheBuffersThatAWorkerHasOfItsOwn) {
  const ScratchFolder run;
  const auto train = [&](const std::function<void(World&, torch::nn::Sequential&, Rounds&)>& body) {
    on_workers(exec::Fabric::kShmThreads, 2, [&](World& world) {
      torch::nn::Sequential net(torch::nn::BatchNorm1d(5), torch::nn::Linear(5, 3));
      Exchange exchange(world, *net, {.strategy = "ring", .buffers = ExchangeOptions::Buffers::kOwn});
      body(world, net, ExchangeAccess::rounds(exchange));
      exchange.finish();
    });
  };
  std::array<std::string, 2> expected;
  std::array<std::string, 2> found;
  train([&](World& world, torch::nn::Sequential& net, Rounds& rounds) {
    static_cast<void>(net->forward(input_of(world.rank())));
    expected[idx(world.rank())] = bytes_of(net->buffers());
    SaveRequest request;
    request.run = run.path();
    rounds.save(request);
  });
  train([&](World& world, torch::nn::Sequential& net, Rounds& rounds) {
    static_cast<void>(rounds.load({.folder = run.path()}));
    found[idx(world.rank())] = bytes_of(net->buffers());
  });
  EXPECT_NE(expected[0], expected[1]);
  EXPECT_EQ(found, expected);
}

// This process sees another, empty folder there from now on.
bool hide(const fs::path& folder) {
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, nullptr) == 0;
}

bool can_hide(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(hide(folder) ? 0 : 1);
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST(StateSaver, BringsWhatNodesHoldThatDoNotSeeTheFolder) {
  const ScratchFolder run;
  if (!can_hide(run.path())) GTEST_SKIP() << "no namespaces here";
  const Shape shape{"parameter-server", 3};
  on_nodes(exec::Fabric::kShmProcesses, shape, [&](World& world, Training& training) {
    EXPECT_TRUE(world.rank() == 0 || hide(run.path()));
    training.take_steps(world.rank(), 0, 3);
    training.rounds().save(training.request(run.path(), 3));
    training.rounds().settle();
    const std::optional<SaveResult> result = training.rounds().take_saved();
    EXPECT_EQ(result.has_value(), world.rank() == 0);
    EXPECT_FALSE(result && result->failure);
    EXPECT_TRUE(world.rank() == 0 || fs::is_empty(run.path()));
  });
  const ScratchFolder seen;
  weights_after(exec::Fabric::kShmThreads, shape, 0, 3, seen.path());
  for (const char* name : {"weights", "rule-0", "rule-1", "rule-2"}) {
    const std::string file = fmt::format("checkpoints/step-3/{}.safetensors", name);
    EXPECT_EQ(content(run.path() / file), content(seen.path() / file)) << name;
  }
  EXPECT_TRUE(checkpoint::Saved::open(run.path()).damages().empty());
}

TEST(StateSaver, IsRefusedWhereANodeDoesNotSeeIt) {
  const ScratchFolder run;
  if (!can_hide(run.path())) GTEST_SKIP() << "no namespaces here";
  weights_after(exec::Fabric::kShmThreads, {"ring", 2}, 0, 1, run.path());
  on_workers(exec::Fabric::kShmProcesses, 2, [&](World& world) {
    EXPECT_TRUE(world.rank() == 0 || hide(run.path()));
    Training training(world, {"ring", 2});
    EXPECT_THAT(thrown_by([&] { static_cast<void>(training.rounds().load({.folder = run.path()})); }),
                HasSubstr("rank 1 does not see"));
  });
}

// Each in a process of its own, as libtorch has one generator for all threads.
TEST(StateSaver, LetsDropoutGoOnWithTheSameNumbers) {
  constexpr std::size_t kBytes = 4096;
  const exec::SharedBytes shared(kBytes);
  const ScratchFolder run;
  const auto train = [&](int from, int to, bool saves) {
    on_workers(exec::Fabric::kShmProcesses, 2, [&](World& world) {
      torch::set_num_threads(1);
      torch::manual_seed(1);
      torch::nn::Sequential net(torch::nn::Linear(5, 16), torch::nn::Dropout(0.5), torch::nn::Linear(16, 3));
      Exchange exchange(world, *net, {.strategy = "ring"});
      torch::manual_seed(static_cast<std::uint64_t>(10 + world.rank()));
      if (from > 0) static_cast<void>(ExchangeAccess::rounds(exchange).load({.folder = run.path()}));
      for (int step = from; step < to; ++step) {
        loss_of(net, input_of(world.rank())).backward();
        exchange.step(default_rule(RuleKind::kMomentum));
      }
      SaveRequest request;
      request.run = run.path();
      request.state.step = to;
      if (saves) ExchangeAccess::rounds(exchange).save(request);
      exchange.finish();
      const std::string weights = weights_of(net);
      if (world.rank() == 0) std::memcpy(shared.data(), weights.data(), std::min(weights.size(), kBytes));
    });
    return std::string(reinterpret_cast<const char*>(shared.data()), kBytes);
  };
  const std::string expected = train(0, 6, false);
  const std::string halfway = train(0, 3, true);
  EXPECT_NE(halfway, expected);
  EXPECT_EQ(train(3, 6, false), expected);
}

}  // namespace saving
}  // namespace trireme::libtorch
