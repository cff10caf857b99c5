// Shared by the tests of plans: specs of every kind, programs as readable lines, and plans made by hand.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/verify.h"

namespace trireme::plan {

inline PlanSpec spec_of(Strategy strategy, std::int32_t workers, std::int64_t parameters) {
  PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = workers;
  spec.parameters = parameters;
  return spec;
}

inline PlanSpec with_servers(std::int32_t workers, std::int64_t parameters, std::int32_t servers) {
  PlanSpec spec = spec_of(Strategy::kParameterServer, workers, parameters);
  spec.servers = servers;
  return spec;
}

inline PlanSpec with_shares(std::int32_t workers, std::int64_t parameters, std::int32_t shares) {
  PlanSpec spec = spec_of(Strategy::kParameterServer, workers, parameters);
  spec.shares_on_workers = shares;
  return spec;
}

/// Variables that begin at 0 and at these borders, none of which is cut.
inline PlanSpec with_whole_variables(PlanSpec spec, std::vector<std::int64_t> borders) {
  spec.variable_borders = std::move(borders);
  spec.whole_variables = true;
  return spec;
}

inline PlanSpec on_hosts(std::int32_t hosts, std::int32_t per_host, std::int64_t parameters) {
  PlanSpec spec = spec_of(Strategy::kHierarchical, hosts * per_host, parameters);
  spec.hosts = hosts;
  return spec;
}

/// Every strategy for n workers: parameter-server with 1 to 4 servers and with every number of shares on
/// workers, hierarchical with every number of hosts that divides n.
inline std::vector<PlanSpec> every_kind(std::int32_t n, std::int64_t p) {
  std::vector<PlanSpec> specs;
  for (const Strategy strategy : all_strategies()) {
    if (strategy == Strategy::kParameterServer) {
      for (std::int32_t s = 1; s <= 4; ++s) specs.push_back(with_servers(n, p, s));
      for (std::int32_t s = 1; s <= n; ++s) specs.push_back(with_shares(n, p, s));
    } else if (strategy == Strategy::kHierarchical) {
      for (std::int32_t hosts = 1; hosts <= n; ++hosts) {
        if (n % hosts == 0) specs.push_back(on_hosts(hosts, n / hosts, p));
      }
    } else {
      specs.push_back(spec_of(strategy, n, p));
    }
  }
  return specs;
}

/// Another operation than a sum.
inline PlanSpec operation_of(Operation operation, Strategy strategy, std::int32_t workers,
                             std::int64_t parameters, Rank root = 0) {
  PlanSpec spec = spec_of(strategy, workers, parameters);
  spec.operation = operation;
  spec.root = root;
  return spec;
}

/// Every operation other than a sum for n workers, by all of its strategies and from every root.
inline std::vector<PlanSpec> every_operation(std::int32_t n, std::int64_t p) {
  std::vector<PlanSpec> specs;
  for (const Operation operation : all_operations()) {
    if (operation == Operation::kSum) continue;
    for (const Strategy strategy : strategies_of(operation)) {
      for (Rank root = 0; root < (has_root(operation) ? n : 1); ++root) {
        specs.push_back(operation_of(operation, strategy, n, p, root));
      }
    }
  }
  return specs;
}

/// A permutation of n workers that depends only on the seed and is the same on every machine.
inline RingOrder shuffled_order(std::int32_t n, std::uint32_t seed) {
  std::vector<Rank> ranks(idx(n));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::mt19937 random(seed);
  for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random() % i]);
  return RingOrder(std::move(ranks));
}

inline std::string in_words(const PlanSpec& spec) {
  std::string text = fmt::format(
      "{}: n = {}, p = {}, root {}, servers {}, shares on workers {}, hosts {}, order", title(spec),
      spec.workers, spec.parameters, spec.root, spec.servers, spec.shares_on_workers, spec.hosts);
  for (const Rank rank : spec.order.ranks()) text += fmt::format(" {}", rank);
  text += ", borders";
  for (const std::int64_t border : spec.variable_borders) text += fmt::format(" {}", border);
  if (spec.whole_variables) text += ", variables stay whole";
  return text;
}

inline std::string in_words(const Slice& slice) { return fmt::format("[{},{})", slice.first, slice.end()); }

/// "0: send [0,3) to 1, keep"
/// "0: receive [0,3) from 2, keep in room 3"
/// "1: receive [0,3) from 2, add, completes"
/// "0: fold [0,3) of own, room 3 of 2, by chunk, completes"
inline std::string in_words(const Program& program, const Op& op) {
  std::string text = fmt::format("{}: ", op.step);
  if (op.kind == OpKind::kSend) {
    text += fmt::format("send {} to {}, {}", in_words(op.slice), op.peer, name(op.action));
  } else if (op.kind == OpKind::kReceive) {
    text += fmt::format("receive {} from {}, {}", in_words(op.slice), op.peer, name(op.action));
    if (goes_to_room(op.action)) text += fmt::format(" in room {}", op.room);
  } else {
    text += fmt::format("fold {} of ", in_words(op.slice));
    for (std::int64_t i = 0; i < op.source_count; ++i) {
      const Source& source = program.sources.at(idx(op.room + i));
      if (i > 0) text += " + ";
      text += source.room == Source::kOwn ? "own" : fmt::format("room {} of {}", source.room, source.rank);
    }
    if (op.action != Action::kAdd) text += fmt::format(", {}", name(op.action));
  }
  if (op.by_chunk) text += ", by chunk";
  if (op.completes) text += ", completes";
  return text;
}

inline std::vector<std::string> lines(const Program& program) {
  std::vector<std::string> result;
  result.reserve(program.ops.size());
  for (const Op& op : program.ops) result.push_back(in_words(program, op));
  return result;
}

inline std::string in_words(const Plan& plan) {
  std::string text = in_words(plan.spec);
  for (const Program& program : plan.programs) {
    text += fmt::format("\nnode {}, room {}:", program.node, program.room_elements);
    for (const Op& op : program.ops) text += fmt::format("\n  #{} {}", op.id, in_words(program, op));
  }
  return text;
}

inline std::string in_words(const std::vector<verifier::Problem>& problems) {
  std::string text;
  for (const verifier::Problem& problem : problems) text += problem.text + '\n';
  return text;
}

/// Plans made by hand, right or wrong. Ids count up, so no two messages share one.
class HandMade {
 public:
  explicit HandMade(const PlanSpec& spec) : plan_{spec, {}} {
    for (Rank node = 0; node < spec.nodes(); ++node) plan_.programs.push_back({node, {}, {}, 0});
  }

  struct Options {
    bool completes = false;
    std::int64_t room = 0;
    std::int32_t receive_step = -1;  ///< if not the step of the send
  };
  HandMade& message(std::int32_t step, Rank from, Rank to, const Slice& slice, Action action,
                    Options options) {
    Op op{.id = next_id_++, .slice = slice, .step = step, .peer = to, .action = action};
    op.kind = OpKind::kSend;
    plan_.programs[idx(from)].ops.push_back(op);
    op.kind = OpKind::kReceive;
    op.peer = from;
    op.completes = options.completes;
    op.room = options.room;
    if (options.receive_step >= 0) op.step = options.receive_step;
    plan_.programs[idx(to)].ops.push_back(op);
    return *this;
  }
  HandMade& message(std::int32_t step, Rank from, Rank to, const Slice& slice, Action action) {
    return message(step, from, to, slice, action, Options{});
  }
  HandMade& fold(std::int32_t step, Rank node, const Slice& slice, const std::vector<Source>& sources,
                 bool completes = false) {
    Program& program = plan_.programs[idx(node)];
    Op op{.id = next_id_++, .slice = slice, .step = step, .peer = node, .action = Action::kAdd};
    op.kind = OpKind::kFold;
    op.room = static_cast<std::int64_t>(program.sources.size());
    op.source_count = static_cast<std::int32_t>(sources.size());
    op.completes = completes;
    program.sources.insert(program.sources.end(), sources.begin(), sources.end());
    program.ops.push_back(op);
    return *this;
  }
  HandMade& room(Rank node, std::int64_t elements) {
    plan_.programs[idx(node)].room_elements = elements;
    return *this;
  }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Program& program(Rank node) { return plan_.programs[idx(node)]; }

 private:
  Plan plan_;
  OpId next_id_ = 100;
};

}  // namespace trireme::plan
