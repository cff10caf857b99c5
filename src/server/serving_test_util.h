// A small training on every wire: each weight is drawn towards a target of its own, which mini-batches see
// with some noise.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/fabrics_test_util.h"
#include "server/share_client.h"
#include "server/share_server.h"

namespace trireme::server {

struct Drill {
  exec::Fabric fabric = exec::Fabric::kThreads;
  plan::Mode mode{.kind = plan::Mode::Kind::kAsync};
  Rank workers = 3;
  Rank servers = 1;
  std::int64_t steps = 20;  ///< of each worker
  std::vector<std::int64_t> variables = {70, 5, 40};
  bool whole_variables = false;
  StalenessRate rate = StalenessRate::kWorkers;
  RuleSpec rule{.kind = RuleKind::kSgd, .rate = 0.125};
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  /// What a worker does for a mini-batch besides computing; may be empty.
  std::function<void(Rank worker, std::int64_t gradient)> pause{};
  /// What a server does before an update; may be empty.
  std::function<void(Rank server, std::int64_t version)> before_update{};
  bool pushes_again = false;  ///< each worker sends each third gradient twice
};

/// What one node knows in the end; processes cannot tell, so these drills run on threads.
struct DrillResult {
  std::vector<std::vector<float>> weights;           // by worker
  std::vector<Staleness> staleness;                  // by server
  std::vector<std::int64_t> dropped;                 // likewise
  std::vector<std::int64_t> duplicates;              // likewise
  std::vector<std::vector<schedule::Write>> writes;  // likewise
  std::vector<wire::Counters> counted;               // by node
  std::vector<wire::Counters> planned;               // likewise
  std::vector<wire::Counters> others;                // by worker: messages that are no updates
  std::vector<std::int64_t> pushed;                  // by worker

  void resize_for(const Drill& drill);
};

inline void DrillResult::resize_for(const Drill& drill) {
  weights.resize(idx(drill.workers));
  pushed.resize(idx(drill.workers));
  others.resize(idx(drill.workers));
  staleness.resize(idx(drill.servers));
  dropped.resize(idx(drill.servers));
  duplicates.resize(idx(drill.servers));
  writes.resize(idx(drill.servers));
  counted.resize(idx(drill.workers + drill.servers));
  planned.resize(idx(drill.workers + drill.servers));
}

/// Mini-batch `gradient` moves the weight at `element` so, from this value.
inline float drill_gradient(std::int64_t element, std::int64_t gradient, float weight) {
  const float target = static_cast<float>(element % 7) - 3;
  const float noise = static_cast<float>((gradient * 31 + element * 17) % 11 - 5) / 16;
  return weight - target + noise;
}

inline rounds::BucketLayout drill_bucket(const Drill& drill) {
  rounds::BucketLayout bucket;
  for (std::size_t i = 0; i < drill.variables.size(); ++i) {
    bucket.places.push_back({.gradient = i, .first = bucket.elements, .count = drill.variables[i]});
    bucket.elements += drill.variables[i];
  }
  return bucket;
}

inline Placement drill_placement(const Drill& drill) {
  return place(drill_bucket(drill), drill.servers, drill.whole_variables);
}

/// The first element of a variable among all.
inline std::int64_t first_of(const Drill& drill, std::size_t variable) {
  return drill_bucket(drill).places[variable].first;
}

inline void serve_drill(const Drill& drill, wire::Wire& wire, DrillResult& result, const Phase& phase) {
  const Placement placement = drill_placement(drill);
  auto seats = make_seats(wire, drill.workers, placement, drill.timeout);
  const auto number = static_cast<std::int32_t>(wire.rank() - drill.workers);
  const Share& share = placement.shares[idx(number)];
  if (share.empty()) return;
  std::vector<float> memory(idx(share.elements));
  std::vector<ShareWeights::Part> parts;
  for (const SharePart& part : share.parts) {
    parts.push_back(
        {std::span(memory).subspan(idx(part.place), idx(part.count)), optim::vector_of(part.count)});
  }
  ShareWeights weights(share, parts);
  const LedgerSpec spec{drill.mode, drill.workers, number, number == placement.dispenser};
  ShareServer server(wire, seats, weights, spec, drill.rate, drill.timeout);
  server.serve(phase, [&](std::size_t /*variable*/, double rate) {
    if (drill.before_update) drill.before_update(number, server.ledger().version());
    RuleSpec rule = drill.rule;
    rule.rate = rate;
    return rule;
  });
  result.staleness[idx(number)] = server.ledger().stale();
  result.dropped[idx(number)] = server.ledger().dropped();
  result.duplicates[idx(number)] = server.ledger().duplicates();
  result.writes[idx(number)] = server.ledger().take_writes();
  result.counted[idx(wire.rank())] = server.counted();
  result.planned[idx(wire.rank())] = server.planned();
}

inline void work_drill(const Drill& drill, wire::Wire& wire, DrillResult& result, const Phase& phase) {
  const Placement placement = drill_placement(drill);
  auto seats = make_seats(wire, drill.workers, placement, drill.timeout);
  ShareClient client(seats, placement, wire.rank(), drill.workers, drill.timeout);
  std::vector<float>& weights = result.weights[idx(wire.rank())];
  weights.assign(idx(drill_bucket(drill).elements), 0.0F);
  // Calls body(element, place in the share's memory) for everything in a share.
  const auto for_each = [&](std::size_t server, auto body) {
    for (const SharePart& part : placement.shares[server].parts) {
      for (std::int64_t i = 0; i < part.count; ++i) {
        body(first_of(drill, part.variable) + part.first + i, client.numbers(server)[idx(part.place + i)]);
      }
    }
  };
  const auto take = [&] {
    for (std::size_t server = 0; server < seats.size(); ++server) {
      if (seats[server]) for_each(server, [&](std::int64_t e, float& place) { weights[idx(e)] = place; });
    }
  };
  std::int64_t next = client.begin(phase);
  while (next != AnswerNote::kNone) {
    if (drill.pause) drill.pause(wire.rank(), next);
    for (std::size_t server = 0; server < seats.size(); ++server) {
      if (!seats[server]) continue;
      for_each(server,
               [&](std::int64_t e, float& place) { place = drill_gradient(e, next, weights[idx(e)]); });
      client.set_has_gradient(server, std::vector<bool>(placement.shares[server].parts.size(), true));
    }
    const double rate = drill.rule.rate;
    AnswerNote answer = client.push({.number = next, .rate = rate, .loss = 1});
    if (drill.pushes_again && next % 3 == 0) answer = client.push_again();
    ++result.pushed[idx(wire.rank())];
    next = answer.next;
    take();
  }
  static_cast<void>(client.leave(0));
  take();
  result.counted[idx(wire.rank())] = client.counted();
  result.planned[idx(wire.rank())] = client.planned();
  result.others[idx(wire.rank())] = client.others();
}

inline DrillResult run_drill(const Drill& drill) {
  const Rank nodes = drill.workers + drill.servers;
  DrillResult result;
  result.resize_for(drill);
  const Phase phase{.first = 0, .gradients = drill.steps * drill.workers, .records = true};
  exec::run_on(drill.fabric, nodes, [&](wire::Wire& wire) {
    wire.rank() < drill.workers ? work_drill(drill, wire, result, phase)
                                : serve_drill(drill, wire, result, phase);
  });
  return result;
}

/// The weights that the recorded writes give, computed in one thread without any of the code of servers: by
/// plain sgd.
inline std::vector<float> replay_drill(const Drill& drill, const DrillResult& result) {
  const Placement placement = drill_placement(drill);
  std::vector<float> weights(idx(drill_bucket(drill).elements));
  for (std::size_t server = 0; server < placement.shares.size(); ++server) {
    // By version: the weights of the share.
    std::map<std::int64_t, std::vector<float>> versions;
    versions[0].assign(idx(placement.shares[server].elements), 0.0F);
    const std::vector<schedule::Write>& writes = result.writes[server];
    for (std::size_t i = 0; i < writes.size();) {
      if (writes[i].dropped) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < writes.size() && !writes[end].dropped && writes[end].version == writes[i].version) ++end;
      std::vector<float> next = versions.at(writes[i].version - 1);
      const bool is_round = drill.mode.kind == plan::Mode::Kind::kBackup;
      const double divisor =
          is_round ? 1 : rate_divisor(drill.rate, drill.workers, writes[i].version - 1 - writes[i].read);
      const auto rate = static_cast<float>(drill.rule.rate / divisor);
      for (const SharePart& part : placement.shares[server].parts) {
        for (std::int64_t k = 0; k < part.count; ++k) {
          const std::int64_t e = first_of(drill, part.variable) + part.first + k;
          float sum = 0;
          for (std::size_t w = i; w < end; ++w) {
            const float read = versions.at(writes[w].read)[idx(part.place + k)];
            const float gradient = drill_gradient(e, writes[w].gradient, read);
            sum = w == i ? gradient : sum + gradient;
          }
          if (is_round) sum /= static_cast<float>(end - i);
          next[idx(part.place + k)] -= rate * sum;
        }
      }
      versions[writes[i].version] = std::move(next);
      i = end;
    }
    for (const SharePart& part : placement.shares[server].parts) {
      for (std::int64_t k = 0; k < part.count; ++k) {
        weights[idx(first_of(drill, part.variable) + part.first + k)] =
            versions.rbegin()->second[idx(part.place + k)];
      }
    }
  }
  return weights;
}

}  // namespace trireme::server
