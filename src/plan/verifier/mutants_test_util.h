// All plans that differ from a right one by one small mistake.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan::verifier {

/// Calls `visit(kind, mutant)` for every mutant that differs from the plan. Kinds that begin with "double
/// both" send one message twice.
template <typename Visit>
class Mutants {
 public:
  Mutants(const Plan& original, Visit visit) : original_(original), visit_(std::move(visit)) {
    for (const Program& program : original.programs) {
      for (std::size_t i = 0; i < program.ops.size(); ++i) {
        last_step_ = std::max(last_step_, program.ops[i].step);
        fresh_id_ = std::max(fresh_id_, program.ops[i].id + 1);
        if (program.ops[i].kind == OpKind::kSend) messages_.push_back(find_ends(program.node, i));
      }
    }
  }

  void visit_all() {
    for (const Program& program : original_.programs) {
      for (std::size_t i = 0; i < program.ops.size(); ++i) {
        mistake_one_side(program.node, i);
        for (std::size_t j = i + 1; j < program.ops.size(); ++j) exchange_one_side(program.node, i, j);
      }
    }
    for (std::size_t a = 0; a < messages_.size(); ++a) {
      mistake_both_sides(messages_[a]);
      for (std::size_t b = a + 1; b < messages_.size(); ++b) exchange_both_sides(messages_[a], messages_[b]);
    }
  }

 private:
  struct Message {
    Rank from;
    std::size_t send;
    Rank to;
    std::size_t receive;
  };

  Message find_ends(Rank from, std::size_t send) const {
    const Op& sent = original_.programs[idx(from)].ops[send];
    const auto& ops = original_.programs[idx(sent.peer)].ops;
    const auto receive = std::find_if(ops.begin(), ops.end(), [&](const Op& op) {
      return op.kind == OpKind::kReceive && op.id == sent.id;
    });
    return {from, send, sent.peer, static_cast<std::size_t>(receive - ops.begin())};
  }

  // `change` makes the mutation on a copy.
  template <typename Change>
  void mutant(std::string_view kind, Change change) {
    Plan copy = original_;
    change(copy);
    for (Program& program : copy.programs) {
      std::stable_sort(program.ops.begin(), program.ops.end(), [](const Op& a, const Op& b) {
        return std::pair(a.step, a.kind == OpKind::kFold) < std::pair(b.step, b.kind == OpKind::kFold);
      });
    }
    if (copy.programs != original_.programs) visit_(kind, copy);
  }

  static Op& op(Plan& plan, Rank node, std::size_t i) { return plan.programs[idx(node)].ops[i]; }
  static Op& send(Plan& plan, const Message& m) { return op(plan, m.from, m.send); }
  static Op& receive(Plan& plan, const Message& m) { return op(plan, m.to, m.receive); }
  static void erase(Plan& plan, Rank node, std::size_t i) {
    auto& ops = plan.programs[idx(node)].ops;
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
  }
  static void renumber(const Plan& plan, Rank node, Op& op) {
    const bool receives = op.kind == OpKind::kReceive;
    op.id = op_id(plan.spec, op.step, receives ? op.peer : node, receives ? node : op.peer);
  }
  static void renumber(Plan& plan, const Message& m) {
    renumber(plan, m.from, send(plan, m));
    renumber(plan, m.to, receive(plan, m));
  }
  static std::int64_t new_room(Program& program, std::int64_t elements) {
    program.room_elements += elements;
    return program.room_elements - elements;
  }

  void mistake_one_side(Rank node, std::size_t i) {
    const Op& here = original_.programs[idx(node)].ops[i];
    mutant("drop one side", [&](Plan& plan) { erase(plan, node, i); });
    mutant("double one side", [&](Plan& plan) {
      auto& ops = plan.programs[idx(node)].ops;
      ops.push_back(Op(ops[i]));
    });
    mutant("complete or not", [&](Plan& plan) { op(plan, node, i).completes = !here.completes; });
    if (here.kind == OpKind::kFold) return mistake_in_fold(node, i);
    for (Rank other = 0; other < original_.spec.nodes(); ++other) {
      if (other == node || other == here.peer) continue;
      for (const bool with_id : {false, true}) {
        mutant("redirect one side", [&](Plan& plan) {
          op(plan, node, i).peer = other;
          if (with_id) renumber(plan, node, op(plan, node, i));
        });
      }
    }
    for (const Action action : {Action::kAdd, Action::kCopy, Action::kKeep, Action::kUpdate}) {
      mutant("other action at one side", [&](Plan& plan) { op(plan, node, i).action = action; });
    }
  }

  void mistake_in_fold(Rank node, std::size_t i) {
    const Op& here = original_.programs[idx(node)].ops[i];
    mutant("by chunk or not", [&](Plan& plan) { op(plan, node, i).by_chunk = !here.by_chunk; });
    mutant("one source less", [&](Plan& plan) { --op(plan, node, i).source_count; });
    mutant("first source left out", [&](Plan& plan) {
      ++op(plan, node, i).room;
      --op(plan, node, i).source_count;
    });
    for (std::int64_t a = here.room; a < here.room + here.source_count; ++a) {
      for (const std::int64_t by : {-1, 1}) {
        mutant("source elsewhere in the room",
               [&](Plan& plan) { plan.programs[idx(node)].sources[idx(a)].room += by; });
      }
    }
    mutant("shorter fold", [&](Plan& plan) { --op(plan, node, i).slice.count; });
    for (std::int64_t a = here.room; a < here.room + here.source_count; ++a) {
      for (std::int64_t b = a + 1; b < here.room + here.source_count; ++b) {
        mutant("exchange sources", [&](Plan& plan) {
          auto& sources = plan.programs[idx(node)].sources;
          std::swap(sources[idx(a)], sources[idx(b)]);
        });
      }
    }
  }

  void mistake_both_sides(const Message& m) {
    const Op sent = original_.programs[idx(m.from)].ops[m.send];
    mutant("drop both sides", [&](Plan& plan) {
      erase(plan, m.from, m.send);
      erase(plan, m.to, m.receive);
    });
    double_both_sides(m);
    for (Rank other = 0; other < original_.spec.nodes(); ++other) {
      if (other == m.from || other == m.to) continue;
      for (const bool with_id : {false, true}) redirect_both_sides(m, other, with_id);
    }
    for (const Action action : {Action::kAdd, Action::kCopy, Action::kKeep}) {
      if (action == sent.action) continue;
      mutant("other action at both sides", [&](Plan& plan) {
        send(plan, m).action = receive(plan, m).action = action;
        if (action == Action::kKeep) {
          receive(plan, m).room = new_room(plan.programs[idx(m.to)], sent.slice.count);
        }
      });
    }
    mutant("shorter at both sides",
           [&](Plan& plan) { send(plan, m).slice.count = --receive(plan, m).slice.count; });
    for (const std::int64_t by : {-1, 1}) {
      mutant("shifted at both sides", [&](Plan& plan) {
        send(plan, m).slice.first += by;
        receive(plan, m).slice.first += by;
      });
    }
    for (const Message& other : messages_) {
      if (!goes_to_room(sent.action) || other.to != m.to || other.receive <= m.receive) continue;
      mutant("exchange rooms",
             [&](Plan& plan) { std::swap(receive(plan, m).room, receive(plan, other).room); });
      mutant("exchange places of what is kept", [&](Plan& plan) {
        std::swap(send(plan, m).slice.first, send(plan, other).slice.first);
        std::swap(receive(plan, m).slice.first, receive(plan, other).slice.first);
      });
    }
    if (goes_to_room(sent.action)) {
      mutant("other room", [&](Plan& plan) {
        receive(plan, m).room = new_room(plan.programs[idx(m.to)], sent.slice.count);
      });
    }
  }

  void double_both_sides(const Message& m) {
    const Op& sent = original_.programs[idx(m.from)].ops[m.send];
    const auto again = [&](std::string_view kind, std::int32_t step, bool fresh_id, bool fresh_room) {
      mutant(kind, [&](Plan& plan) {
        Op first = send(plan, m);
        Op second = receive(plan, m);
        first.step = second.step = step;
        if (fresh_id) first.id = second.id = fresh_id_;
        if (fresh_room) second.room = new_room(plan.programs[idx(m.to)], second.slice.count);
        plan.programs[idx(m.from)].ops.push_back(first);
        plan.programs[idx(m.to)].ops.push_back(second);
      });
    };
    again("double both sides, same id", sent.step, false, false);
    for (const bool fresh_room : {false, true}) {
      if (fresh_room && !goes_to_room(sent.action)) continue;
      again("double both sides, same id", sent.step, false, fresh_room);
      again("double both sides, same step", sent.step, true, fresh_room);
      again("double both sides, next step", sent.step + 1, true, fresh_room);
      again("double both sides, last step", last_step_ + 1, true, fresh_room);
    }
  }

  void redirect_both_sides(const Message& m, Rank other, bool with_id) {
    mutant("redirect both sides", [&](Plan& plan) {
      Op moved = receive(plan, m);
      Op& sent = send(plan, m);
      sent.peer = other;
      if (with_id) {
        renumber(plan, m.from, sent);
        moved.id = sent.id;
      }
      Program& receiver = plan.programs[idx(other)];
      if (goes_to_room(moved.action)) moved.room = new_room(receiver, moved.slice.count);
      receiver.ops.push_back(moved);
      erase(plan, m.to, m.receive);
    });
  }

  void exchange_one_side(Rank node, std::size_t i, std::size_t j) {
    const auto& ops = original_.programs[idx(node)].ops;
    if (ops[i].step == ops[j].step) return;
    mutant("exchange slices at one side",
           [&](Plan& plan) { std::swap(op(plan, node, i).slice, op(plan, node, j).slice); });
    for (const bool with_id : {false, true}) {
      mutant("exchange steps at one side", [&](Plan& plan) {
        std::swap(op(plan, node, i).step, op(plan, node, j).step);
        if (!with_id) return;
        renumber(plan, node, op(plan, node, i));
        renumber(plan, node, op(plan, node, j));
      });
    }
  }

  void exchange_both_sides(const Message& a, const Message& b) {
    const Op& first = original_.programs[idx(a.from)].ops[a.send];
    const Op& second = original_.programs[idx(b.from)].ops[b.send];
    if (first.step == second.step) return;
    mutant("exchange slices of two messages", [&](Plan& plan) {
      send(plan, a).slice = receive(plan, a).slice = second.slice;
      send(plan, b).slice = receive(plan, b).slice = first.slice;
    });
    for (const bool with_id : {false, true}) {
      mutant("exchange steps of two messages", [&](Plan& plan) {
        send(plan, a).step = receive(plan, a).step = second.step;
        send(plan, b).step = receive(plan, b).step = first.step;
        if (!with_id) return;
        renumber(plan, a);
        renumber(plan, b);
      });
    }
  }

  const Plan& original_;
  Visit visit_;
  std::vector<Message> messages_;
  std::int32_t last_step_ = 0;
  OpId fresh_id_ = 0;
};

}  // namespace trireme::plan::verifier
