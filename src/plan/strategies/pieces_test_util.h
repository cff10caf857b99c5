// The same exchange with some of its messages and folds cut in two at random places: still right, but with
// memory cut differently by every op.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

class Pieces {
 public:
  Pieces(const Plan& plan, std::uint32_t seed) : plan_(plan), seed_(seed) {}

  Plan cut() {
    for (Program& program : plan_.programs) {
      const std::vector<Op> whole = std::exchange(program.ops, {});
      for (const Op& op : whole) cut(program, op);
    }
    return std::move(plan_);
  }

 private:
  // Both ends of a message must be cut at one place and have the same ids, so the id determines both.
  void cut(Program& program, Op op) {
    std::mt19937 random(seed_ + static_cast<std::uint32_t>(op.id));
    op.id *= 2;
    if (op.slice.count < 2 || random() % 3 == 0) {
      program.ops.push_back(op);
      return;
    }
    const auto places = static_cast<std::uint64_t>(op.slice.count - 1);
    const auto first = 1 + static_cast<std::int64_t>(random() % places);
    Op second = op;
    second.id += 1;
    second.slice = {op.slice.first + first, op.slice.count - first};
    if (op.kind == OpKind::kFold) {
      second.room = static_cast<std::int64_t>(program.sources.size());
      for (std::int64_t i = 0; i < op.source_count; ++i) {
        Source source = program.sources[idx(op.room + i)];
        if (source.room != Source::kOwn) source.room += first;
        program.sources.push_back(source);
      }
    } else if (goes_to_room(op.action)) {
      second.room += first;
    }
    op.slice.count = first;
    program.ops.push_back(op);
    program.ops.push_back(second);
  }

  Plan plan_;
  std::uint32_t seed_;
};

inline Plan in_pieces(const Plan& plan, std::uint32_t seed) { return Pieces(plan, seed).cut(); }

}  // namespace trireme::plan
