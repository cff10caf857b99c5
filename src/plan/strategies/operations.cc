#include "plan/strategies/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

struct KnownOperation {
  Operation operation;
  std::string_view name;
  bool has_root;
  bool adds_up;
};

constexpr std::array kOperations{
    KnownOperation{Operation::kSum, "sum", false, true},
    KnownOperation{Operation::kBroadcast, "broadcast", true, false},
    KnownOperation{Operation::kGather, "gather", true, false},
    KnownOperation{Operation::kAllGather, "all-gather", false, false},
    KnownOperation{Operation::kScatter, "scatter", true, false},
    KnownOperation{Operation::kReduceScatter, "reduce-scatter", false, true},
    KnownOperation{Operation::kAllToAll, "all-to-all", false, false},
};

const KnownOperation& known(Operation operation) { return kOperations[idx(static_cast<int>(operation))]; }

struct Maker {
  Operation operation;
  Strategy strategy;
  MakeProgram make;
  bool ring_order;
};

constexpr std::array kMakers{
    Maker{Operation::kSum, Strategy::kAllToAll, all_to_all, true},
    Maker{Operation::kSum, Strategy::kParameterServer, parameter_server, true},
    Maker{Operation::kSum, Strategy::kRing, ring, true},
    Maker{Operation::kSum, Strategy::kDirect, direct, true},
    Maker{Operation::kSum, Strategy::kRecursiveDoubling, recursive_doubling, false},
    Maker{Operation::kSum, Strategy::kHalvingDoubling, halving_doubling, false},
    Maker{Operation::kSum, Strategy::kTree, tree, false},
    Maker{Operation::kSum, Strategy::kHierarchical, hierarchical, false},
    Maker{Operation::kBroadcast, Strategy::kTree, broadcast_by_tree, false},
    Maker{Operation::kBroadcast, Strategy::kDirect, broadcast_by_direct, false},
    Maker{Operation::kBroadcast, Strategy::kStar, broadcast_by_star, false},
    Maker{Operation::kGather, Strategy::kDirect, gather_by_direct, false},
    Maker{Operation::kGather, Strategy::kTree, gather_by_tree, false},
    Maker{Operation::kAllGather, Strategy::kDirect, all_gather_by_direct, false},
    Maker{Operation::kAllGather, Strategy::kRing, all_gather_by_ring, true},
    Maker{Operation::kScatter, Strategy::kDirect, scatter_by_direct, false},
    Maker{Operation::kScatter, Strategy::kTree, scatter_by_tree, false},
    Maker{Operation::kReduceScatter, Strategy::kDirect, reduce_scatter_by_direct, true},
    Maker{Operation::kReduceScatter, Strategy::kRing, reduce_scatter_by_ring, true},
    Maker{Operation::kAllToAll, Strategy::kDirect, all_to_all_by_direct, false},
};

const Maker* find(Operation operation, Strategy strategy) {
  const auto* found = std::find_if(kMakers.begin(), kMakers.end(), [&](const Maker& maker) {
    return maker.operation == operation && maker.strategy == strategy;
  });
  return found == kMakers.end() ? nullptr : found;
}

}  // namespace

std::string_view name(Operation operation) { return known(operation).name; }

Operation parse_operation(std::string_view text) {
  std::vector<std::string_view> names;
  for (const KnownOperation& candidate : kOperations) {
    if (candidate.name == text) return candidate.operation;
    names.push_back(candidate.name);
  }
  const bool is_other_name = text == "allreduce" || text == "all-reduce";  // the first one is that of bench
  const std::string_view best = is_other_name ? name(Operation::kSum) : nearest(text, names);
  throw bad_input(fmt::format("unknown operation '{}'", printable(text)),
                  best.empty() ? fmt::format("give one of {}", fmt::join(names, ", "))
                               : fmt::format("did you mean {}?", best));
}

std::span<const Operation> all_operations() {
  static constexpr auto kAll = [] {
    std::array<Operation, kOperations.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kOperations[i].operation;
    return all;
  }();
  return kAll;
}

bool has_root(Operation operation) { return known(operation).has_root; }

bool adds_up(Operation operation) { return known(operation).adds_up; }

std::vector<Strategy> strategies_of(Operation operation) {
  std::vector<Strategy> strategies;
  for (const Maker& maker : kMakers) {
    if (maker.operation == operation) strategies.push_back(maker.strategy);
  }
  return strategies;
}

std::string names_of(const std::vector<Strategy>& strategies) {
  std::string text;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    if (i > 0) text += i + 1 == strategies.size() ? " and " : ", ";
    text += name(strategies[i]);
  }
  return text;
}

Strategy default_strategy(Operation operation) {
  return operation == Operation::kSum ? PlanSpec{}.strategy : strategies_of(operation).front();
}

bool follows_ring_order(Operation operation, Strategy strategy) {
  const Maker* maker = find(operation, strategy);
  return maker != nullptr && maker->ring_order;
}

void require_strategy(Operation operation, Strategy strategy) {
  if (find(operation, strategy) != nullptr) return;
  throw bad_input(fmt::format("{} has no strategy {}", name(operation), name(strategy)),
                  fmt::format("it has {}", names_of(strategies_of(operation))));
}

void require_ring_order(Operation operation, Strategy strategy, std::string_view flag) {
  if (follows_ring_order(operation, strategy)) return;
  std::vector<Strategy> others = strategies_of(operation);
  std::erase_if(others, [&](Strategy other) { return !follows_ring_order(operation, other); });
  throw bad_input(fmt::format("{}{} does not follow a ring order", flag, title(operation, strategy)),
                  others.empty()
                      ? "leave the order out"
                      : fmt::format("{} {}", names_of(others), others.size() == 1 ? "does" : "do"));
}

std::string title(Operation operation, Strategy strategy) {
  if (operation == Operation::kSum) return std::string(name(strategy));
  return fmt::format("{} by {}", name(operation), name(strategy));
}

MakeProgram find_maker(Operation operation, Strategy strategy) {
  const Maker* maker = find(operation, strategy);
  return maker == nullptr ? nullptr : maker->make;
}

}  // namespace trireme::plan
