// How long an update takes on one core, beside a floor and libtorch's own optimizers:
//
//   rules_bench [ELEMENTS [ROUNDS]]
//
// The floor is the time in which a copy would read and write as many bytes as the rule must; of two kinds of
// copy, with and without streaming stores, the faster one counts. Each round runs everything once, one after
// the other; a figure is the median over the rounds. The last line is the table once more, as JSON.
#include <fmt/format.h>
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "copies.h"
#include "optim/rule.h"
#include "peer.h"

namespace rules_bench {
namespace {

using trireme::RuleKind;
namespace optim = trireme::optim;

struct Contestant {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds;

  void time() {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  [[nodiscard]] double median() {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }
};

/// A rule with its state, and how many arrays it reads and writes.
struct Rule {
  Contestant contestant;
  double passes;
};

class Bench {
 public:
  explicit Bench(std::size_t count)
      : count_(count),
        weights_(hwy::AllocateAligned<float>(count)),
        gradients_(hwy::AllocateAligned<float>(count)) {
    std::fill_n(weights_.get(), count, 0.5F);
    std::fill_n(gradients_.get(), count, 0.01F);
    copies_.push_back({"copy", [this] { copy(gradients_.get(), weights_.get(), count_); }, {}});
    copies_.push_back(
        {"streaming", [this] { copy_streaming(gradients_.get(), weights_.get(), count_); }, {}});
    for (const RuleKind kind : trireme::all_rule_kinds()) add(kind);
    for (Peer& peer : peers(static_cast<std::int64_t>(count))) peers_.push_back({peer.rule, peer.step, {}});
  }

  void run_round() {
    for (Contestant& one : copies_) one.time();
    for (Rule& one : rules_) one.contestant.time();
    for (Contestant& one : peers_) one.time();
  }

  void print() {
    const double pass = std::min(copies_[0].median(), copies_[1].median()) / 2;
    fmt::print("{} parameters, one core; a copy reads and writes {:.1f} GB/s\n\n", count_,
               static_cast<double>(count_ * sizeof(float)) / pass * 1e-9);
    fmt::print("{:10} {:>8} {:>9} {:>6} {:>10}  {}\n", "rule", "ms", "floor ms", "ratio", "peer ms",
               peer_version());
    std::string json;
    for (Rule& rule : rules_) {
      const std::string& name = rule.contestant.name;
      const double time = rule.contestant.median();
      const double floor = rule.passes * pass;
      const auto peer =
          std::find_if(peers_.begin(), peers_.end(), [&](auto& one) { return one.name == name; });
      const std::string of_peer = peer == peers_.end() ? "" : fmt::format("{:.2f}", peer->median() * 1e3);
      fmt::print("{:10} {:8.2f} {:9.2f} {:6.2f} {:>10}\n", name, time * 1e3, floor * 1e3, time / floor,
                 of_peer);
      json += fmt::format("{}{{\"rule\":\"{}\",\"ms\":{:.3f},\"floor_ms\":{:.3f},\"peer_ms\":{}}}",
                          json.empty() ? "" : ",", name, time * 1e3, floor * 1e3,
                          of_peer.empty() ? "null" : of_peer);
    }
    fmt::print("\n{{\"parameters\":{},\"peer\":\"{}\",\"rules\":[{}]}}\n", count_, peer_version(), json);
  }

 private:
  // Elementwise rules only: the time of others is not that of memory.
  void add(RuleKind kind) {
    const optim::TensorShape shape{static_cast<std::int64_t>(count_), 1, true};
    const trireme::RuleSpec spec = trireme::default_rule(kind);
    if (optim::reach(spec, shape) != optim::Reach::kElement) return;
    const auto rule = std::make_shared<optim::UpdateRule>(spec, shape);
    const auto step = [this, rule, number = std::int64_t{0}]() mutable {
      rule->apply({weights_.get(), count_}, {gradients_.get(), count_}, 0, {++number, 1e-6});
    };
    rules_.push_back(
        {{std::string(name(kind)), step, {}}, 3 + 2 * static_cast<double>(rule->state().size())});
  }

  std::size_t count_;
  hwy::AlignedFreeUniquePtr<float[]> weights_;
  hwy::AlignedFreeUniquePtr<float[]> gradients_;
  std::vector<Contestant> copies_;
  std::vector<Rule> rules_;
  std::vector<Contestant> peers_;
};

}  // namespace
}  // namespace rules_bench

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1L << 24;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  if (count < 64 || count % 64 != 0 || rounds < 1) {
    fmt::print(stderr, "rules_bench [ELEMENTS [ROUNDS]]: a multiple of 64, and at least 1\n");
    return 2;
  }
  rules_bench::Bench bench(static_cast<std::size_t>(count));
  for (int i = 0; i < rounds; ++i) bench.run_round();
  bench.print();
  return 0;
}
