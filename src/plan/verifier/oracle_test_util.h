// Runs a plan in the most naive way, to check `verify` against: element by element, with expressions as
// strings, all nodes in lockstep by step number, every pair of ops compared. It shares no code with the
// symbolic run of `verify`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan::verifier {

/// By node, then by element: "" for never written, "2@7" for rank 2's contribution to element 7, "(0@7+1@7)"
/// for a sum, "[…]" for a completed one. In results only what the node must hold is looked at.
using Expressions = std::vector<std::vector<std::string>>;

struct NaiveRun {
  std::string wrong;  ///< empty if nothing is wrong
  Expressions results;
  std::vector<std::tuple<Rank, Rank, std::int64_t, std::int64_t, Action>> messages;  ///< sorted
};

class NaiveOracle {
 public:
  explicit NaiveOracle(const Plan& plan)
      : plan_(plan),
        n_(plan.spec.workers),
        p_(plan.spec.parameters),
        elements_(plan.spec.operation == Operation::kAllToAll ? n_ * p_ : p_) {}

  NaiveRun run() {
    if (plan_.programs.size() != idx(plan_.spec.nodes())) return wrong("programs");
    for (std::size_t i = 0; i < plan_.programs.size(); ++i) {
      const Program& program = plan_.programs[i];
      if (program.node != static_cast<Rank>(i) || program.room_elements < 0) return wrong("program");
      std::vector<std::string> start(idx(elements_));
      for (std::size_t e = 0; e < start.size(); ++e) {
        if (brings(program.node, static_cast<std::int64_t>(e)))
          start[e] = fmt::format("{}@{}", program.node, e);
      }
      buffer_.push_back(start);
      room_.emplace_back(idx(program.room_elements));
      kept_from_.emplace_back(idx(program.room_elements), -1);
      for (const Op& op : program.ops) {
        if (!in_range(program, op)) return wrong("range");
        last_step_ = std::max(last_step_, op.step);
      }
      for (std::size_t j = 1; j < program.ops.size(); ++j) {
        const Op& before = program.ops[j - 1];
        if (program.ops[j].step < before.step) return wrong("order of steps");
        if (program.ops[j].step == before.step && before.kind == OpKind::kFold &&
            program.ops[j].kind != OpKind::kFold)
          return wrong("message after fold");
      }
    }
    if (!ids_are_unique()) return wrong("an id used twice");
    for (std::int32_t step = 0; step <= last_step_ && result_.wrong.empty(); ++step) run_step(step);
    result_.results.assign(buffer_.begin(), buffer_.begin() + n_);
    for (Rank worker = 0; worker < n_; ++worker) {
      for (std::int64_t e = 0; e < elements_; ++e) {
        if (!gets(worker, e)) result_.results[idx(worker)][idx(e)] = "not looked at";
      }
    }
    std::sort(result_.messages.begin(), result_.messages.end());
    return std::move(result_);
  }

 private:
  // The chunk of an element, found by looking at all of them; in all-to-all in its row.
  [[nodiscard]] std::int64_t chunk_with(std::int64_t element) const {
    std::int64_t k = 0;
    while ((k + 1) * p_ / n_ <= element % p_) ++k;
    return k;
  }

  [[nodiscard]] bool brings(Rank node, std::int64_t element) const {
    if (node >= n_) return false;
    switch (plan_.spec.operation) {
      case Operation::kBroadcast:
      case Operation::kScatter:
        return node == plan_.spec.root;
      case Operation::kGather:
      case Operation::kAllGather:
        return chunk_with(element) == node;
      case Operation::kAllToAll:
        return element / p_ == node;
      default:
        return true;
    }
  }

  [[nodiscard]] bool gets(Rank node, std::int64_t element) const {
    switch (plan_.spec.operation) {
      case Operation::kGather:
        return node == plan_.spec.root;
      case Operation::kScatter:
      case Operation::kReduceScatter:
      case Operation::kAllToAll:
        return chunk_with(element) == node;
      default:
        return true;
    }
  }

  NaiveRun wrong(const char* what) {
    result_.wrong = what;
    return std::move(result_);
  }

  static bool within(std::int64_t first, std::int64_t count, std::int64_t all) {
    return first >= 0 && count > 0 && count <= all && first <= all - count;
  }

  bool in_range(const Program& program, const Op& op) const {
    if (op.step < 0 || op.step > 1000 || !within(op.slice.first, op.slice.count, elements_)) return false;
    if (op.kind == OpKind::kFold) {
      const auto all = static_cast<std::int64_t>(program.sources.size());
      if (!within(op.room, op.source_count, all)) return false;
      if (op.peer != program.node || (op.by_chunk && op.source_count != n_)) return false;
      for (std::int64_t i = op.room; i < op.room + op.source_count; ++i) {
        const std::int64_t room = program.sources[idx(i)].room;
        if (room != Source::kOwn && !within(room, op.slice.count, program.room_elements)) return false;
      }
      return true;
    }
    if (op.peer < 0 || op.peer >= plan_.spec.nodes() || op.peer == program.node) return false;
    // A runner divides wherever an op completes, so only an op that makes a sum may complete.
    if (op.completes && !(op.kind == OpKind::kReceive && op.action == Action::kAdd)) return false;
    const bool kept = op.action == Action::kKeep || op.action == Action::kUpdate;
    return op.kind == OpKind::kSend || !kept || within(op.room, op.slice.count, program.room_elements);
  }

  [[nodiscard]] bool ids_are_unique() const {
    std::vector<OpId> sent;
    for (const Program& program : plan_.programs) {
      for (const Op& op : program.ops) {
        if (op.kind != OpKind::kReceive) sent.push_back(op.id);
      }
    }
    std::sort(sent.begin(), sent.end());
    return std::adjacent_find(sent.begin(), sent.end()) == sent.end();
  }

  static bool share_an_element(std::int64_t a, std::int64_t a_count, std::int64_t b, std::int64_t b_count) {
    for (std::int64_t i = a; i < a + a_count; ++i) {
      for (std::int64_t j = b; j < b + b_count; ++j) {
        if (i == j) return true;
      }
    }
    return false;
  }

  // Compares every op of the step with every other op of the same node.
  bool hurts_itself(const Program& program, std::int32_t step) const {
    const auto kept = [](const Op& op) { return op.action == Action::kKeep || op.action == Action::kUpdate; };
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      const Op& a = program.ops[i];
      if (a.step != step || a.kind != OpKind::kReceive) continue;
      for (std::size_t j = 0; j < program.ops.size(); ++j) {
        const Op& b = program.ops[j];
        if (i == j || b.step != step || b.kind == OpKind::kFold) continue;
        const bool same_buffer = share_an_element(a.slice.first, a.slice.count, b.slice.first, b.slice.count);
        const bool same_room = share_an_element(a.room, a.slice.count, b.room, b.slice.count);
        if (b.kind == OpKind::kSend && !kept(a) && same_buffer) return true;
        if (b.kind == OpKind::kReceive && !kept(a) && !kept(b) && same_buffer) return true;
        if (b.kind == OpKind::kReceive && kept(a) && kept(b) && same_room) return true;
      }
    }
    return false;
  }

  [[nodiscard]] int other_ends(Rank node, const Op& op) const {
    int found = 0;
    const OpKind other = op.kind == OpKind::kSend ? OpKind::kReceive : OpKind::kSend;
    for (const Op& theirs : plan_.programs[idx(op.peer)].ops) {
      if (theirs.kind == other && theirs.id == op.id && theirs.peer == node && theirs.step == op.step &&
          theirs.slice.first == op.slice.first && theirs.slice.count == op.slice.count &&
          theirs.action == op.action)
        ++found;
    }
    return found;
  }

  static std::string plus(const std::string& a, const std::string& b) {
    return fmt::format("({}+{})", std::min(a, b), std::max(a, b));
  }
  static std::string completed(const std::string& sum) { return fmt::format("[{}]", sum); }

  void run_step(std::int32_t step) {
    const Expressions before = buffer_;
    for (const Program& program : plan_.programs) {
      if (hurts_itself(program, step)) result_.wrong = "a hazard in a step";
      for (const Op& op : program.ops) {
        if (op.step != step || op.kind == OpKind::kFold) continue;
        if (other_ends(program.node, op) != 1) result_.wrong = "a message without its other end";
        if (op.kind == OpKind::kReceive) {
          receive(program.node, op, before[idx(op.peer)]);
        } else {
          result_.messages.emplace_back(program.node, op.peer, op.slice.first, op.slice.count, op.action);
        }
      }
    }
    for (const Program& program : plan_.programs) {
      for (const Op& op : program.ops) {
        if (op.step == step && op.kind == OpKind::kFold) fold(program, op);
      }
    }
  }

  void receive(Rank node, const Op& op, const std::vector<std::string>& sender) {
    for (std::int64_t i = 0; i < op.slice.count; ++i) {
      const std::string& incoming = sender[idx(op.slice.first + i)];
      std::string& held = buffer_[idx(node)][idx(op.slice.first + i)];
      if (incoming.empty()) result_.wrong = "sends what was never written";
      if (op.action == Action::kAdd) {
        if (held.empty()) result_.wrong = "adds to what was never written";
        held = plus(held, incoming);
        if (op.completes) held = completed(held);
      } else if (op.action == Action::kCopy) {
        held = incoming;
      } else {
        room_[idx(node)][idx(op.room + i)] = incoming;
        kept_from_[idx(node)][idx(op.room + i)] = op.peer;
      }
    }
  }

  void fold(const Program& program, const Op& op) {
    std::vector<std::string> sums;
    for (std::int64_t i = 0; i < op.slice.count; ++i) {
      const std::int64_t element = op.slice.first + i;
      std::int64_t start = 0;
      while (op.by_chunk && (start + 1) * p_ / n_ <= element) ++start;
      std::string sum;
      for (std::int64_t j = 0; j < op.source_count; ++j) {
        const Source& source = program.sources[idx(op.room + (start + j) % op.source_count)];
        const std::string& summand = source.room == Source::kOwn
                                         ? buffer_[idx(program.node)][idx(element)]
                                         : room_[idx(program.node)][idx(source.room + i)];
        if (summand.empty()) result_.wrong = "folds what was never written";
        const Rank whose =
            source.room == Source::kOwn ? program.node : kept_from_[idx(program.node)][idx(source.room + i)];
        if (whose != source.rank) result_.wrong = "a source that is called another's";
        sum = j == 0 ? summand : plus(sum, summand);
      }
      sums.push_back(op.completes ? completed(sum) : sum);
    }
    for (std::int64_t i = 0; i < op.slice.count; ++i) {
      buffer_[idx(program.node)][idx(op.slice.first + i)] = sums[idx(i)];
    }
  }

  const Plan& plan_;
  std::int64_t n_, p_, elements_;
  std::int32_t last_step_ = -1;
  Expressions buffer_, room_;
  std::vector<std::vector<Rank>> kept_from_;  // by node and element of the room
  NaiveRun result_;
};

inline NaiveRun run_naively(const Plan& plan) { return NaiveOracle(plan).run(); }

/// Empty if the plan does the same as the original, with the same messages, possibly in another order.
inline std::string naive_objection(const Plan& plan, const NaiveRun& original) {
  const NaiveRun run = run_naively(plan);
  if (!run.wrong.empty()) return run.wrong;
  if (run.results != original.results) return "other results";
  if (run.messages != original.messages) return "other messages";
  return "";
}

}  // namespace trireme::plan::verifier
