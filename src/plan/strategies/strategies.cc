#include "plan/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/operations.h"

namespace trireme::plan {
namespace {

struct Known {
  Strategy strategy;
  std::string_view name;
};

constexpr std::array kKnown{
    Known{Strategy::kAllToAll, "all-to-all"},
    Known{Strategy::kParameterServer, "parameter-server"},
    Known{Strategy::kRing, "ring"},
    Known{Strategy::kDirect, "direct"},
    Known{Strategy::kRecursiveDoubling, "recursive-doubling"},
    Known{Strategy::kHalvingDoubling, "halving-doubling"},
    Known{Strategy::kTree, "tree"},
    Known{Strategy::kHierarchical, "hierarchical"},
    Known{Strategy::kStar, "star"},
};

void check_operation(const PlanSpec& spec) {
  require_strategy(spec.operation, spec.strategy);
  if (has_root(spec.operation)) {
    if (spec.root >= 0 && spec.root < spec.workers) return;
    throw bad_input(fmt::format("the root is rank {}, but there {} {}", spec.root,
                                spec.workers == 1 ? "is" : "are", counted(spec.workers, "worker")));
  }
  if (spec.root != 0) {
    throw bad_input(fmt::format("{} has no root; broadcast, gather and scatter have", name(spec.operation)));
  }
}

void check_servers(const PlanSpec& spec) {
  if (spec.servers < 0 || spec.shares_on_workers < 0)
    throw bad_input("the number of servers cannot be negative");
  if (spec.strategy != Strategy::kParameterServer) {
    if (spec.servers > 0 || spec.shares_on_workers > 0) {
      throw bad_input(fmt::format("{} has no servers; only parameter-server has", name(spec.strategy)));
    }
    if (spec.whole_variables) {
      throw bad_input(
          fmt::format("{} does not look at variables; only parameter-server does", name(spec.strategy)));
    }
    return;
  }
  if ((spec.servers > 0) == (spec.shares_on_workers > 0)) {
    throw bad_input("parameter-server needs either dedicated servers or shares on its workers");
  }
  if (spec.shares_on_workers > spec.workers) {
    throw bad_input(fmt::format("{} shares do not fit on {} workers, one each at most",
                                spec.shares_on_workers, spec.workers));
  }
  const auto& borders = spec.variable_borders;
  if (!std::is_sorted(borders.begin(), borders.end()) ||
      (!borders.empty() && (borders.front() < 0 || borders.back() > spec.parameters))) {
    throw bad_input("variable borders must ascend and lie inside the buffer");
  }
}

void check_arrangement(const PlanSpec& spec) {
  if (!spec.order.is_default()) {
    require_ring_order(spec.operation, spec.strategy);
    if (spec.order.ranks().size() != idx(spec.workers)) {
      throw bad_input(
          fmt::format("the ring order names {} of {} workers", spec.order.ranks().size(), spec.workers));
    }
  }
  if (spec.hosts < 1) throw bad_input("there must be at least one host");
  if (spec.hosts > 1 && spec.strategy != Strategy::kHierarchical) {
    throw bad_input(fmt::format("{} does not look at hosts; only hierarchical does", name(spec.strategy)));
  }
  if (spec.workers % spec.hosts != 0) {
    throw bad_input(fmt::format("{} workers do not divide evenly over {} hosts", spec.workers, spec.hosts));
  }
}

void check_totals(const PlanSpec& spec) {
  if (closed_form(spec).elements > PlanSpec::kMaxElements) {
    throw bad_input(
        fmt::format("{} parameters are too many: all messages of {} together would exceed 2^63 bytes",
                    spec.parameters, title(spec)));
  }
}

}  // namespace

void check(const PlanSpec& spec) {
  if (spec.workers < 1)
    throw bad_input(fmt::format("there must be at least one worker, not {}", spec.workers));
  check_operation(spec);
  if (spec.parameters < 0) throw bad_input(fmt::format("there cannot be {} parameters", spec.parameters));
  check_servers(spec);
  if (spec.workers > PlanSpec::kMaxNodes - spec.servers) {
    throw bad_input(fmt::format("{} workers and {} servers are too many", spec.workers, spec.servers),
                    fmt::format("at most {} nodes are supported", PlanSpec::kMaxNodes));
  }
  check_arrangement(spec);
  check_totals(spec);
}

Program make_program(const PlanSpec& spec, Rank node, const StepWindow& window) {
  return find_maker(spec.operation, spec.strategy)(spec, node, window);
}

Plan make_plan(const PlanSpec& spec) {
  check(spec);
  Plan plan{spec, {}};
  plan.programs.reserve(idx(spec.nodes()));
  for (Rank node = 0; node < spec.nodes(); ++node) plan.programs.push_back(make_program(spec, node));
  return plan;
}

std::string_view name(Strategy strategy) { return kKnown[idx(static_cast<int>(strategy))].name; }

std::optional<Strategy> find_strategy(std::string_view name) {
  for (const Known& candidate : kKnown) {
    if (candidate.name == name) return candidate.strategy;
  }
  return std::nullopt;
}

Strategy parse_strategy(std::string_view text, std::span<const std::string_view> more) {
  if (const std::optional<Strategy> strategy = find_strategy(text)) return *strategy;
  std::vector<std::string_view> known(more.begin(), more.end());
  for (const Strategy strategy : all_strategies()) known.push_back(name(strategy));
  const std::string_view best = nearest(text, known);
  throw bad_input(fmt::format("unknown strategy '{}'", printable(text)),
                  best.empty() ? fmt::format("give one of {}", fmt::join(known, ", "))
                               : fmt::format("did you mean {}?", best));
}

std::span<const Strategy> all_strategies() {
  static constexpr auto kAll = [] {
    std::array<Strategy, kKnown.size() - 1> all{};  // but star, which is the last one
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kKnown[i].strategy;
    return all;
  }();
  return kAll;
}

bool follows_ring_order(Strategy strategy) { return follows_ring_order(Operation::kSum, strategy); }

}  // namespace trireme::plan
