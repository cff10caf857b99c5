#include "plan/movements/passes.h"

#include <algorithm>
#include <limits>

namespace trireme::plan {
namespace {

// The passes in which a node has something to do, in order. In pass t it handles part `start` − t, around the
// circle.
class Passes {
 public:
  Passes(const Parts& parts, Rank start, Rank first) : parts_(parts), start_(start) { advance_to(first); }

  [[nodiscard]] Rank pass() const { return pass_; }  ///< kNone when there is none left
  // Most parts end where the last visited part begins, which saves a division.
  [[nodiscard]] Slice part() {
    const Rank k = part_in(pass_);
    if (parts_.order != nullptr) return parts_.of(k);
    const std::int64_t end = k + 1 == last_part_ ? last_begin_ : parts_.begin_of(k + 1);
    last_part_ = k;
    last_begin_ = parts_.begin_of(k);
    return {last_begin_, end - last_begin_};
  }
  void next() { advance_to(pass_ + 1); }

  static constexpr Rank kNone = std::numeric_limits<Rank>::max();

 private:
  void advance_to(Rank pass) {
    const Rank last = parts_.count - 2;
    pass_ = kNone;
    if (pass > last) return;
    if (parts_.none_is_empty()) {
      pass_ = pass;
      return;
    }
    const Rank wanted = part_in(pass);
    const std::optional<Rank> below = parts_.at_or_before(wanted);
    const std::optional<Rank> found = below ? below : parts_.at_or_before(parts_.count - 1);
    if (!found) return;
    const Rank reached = part_in(*found);  // `part_in` is its own inverse
    if (reached >= pass && reached <= last) pass_ = reached;
  }

  // `start` − pass, around the circle.
  [[nodiscard]] Rank part_in(Rank pass) const {
    const Rank k = start_ - pass;
    return k < 0 ? k + parts_.count : k;
  }

  const Parts& parts_;
  Rank start_;
  Rank pass_ = kNone;
  Rank last_part_ = kNone;
  std::int64_t last_begin_ = 0;  // of the last part
};

// The wanted passes of one way around that begins at `step`.
StepWindow wanted_passes(const ProgramWriter& writer, std::int32_t step) {
  return {std::max(writer.window().first - step, 0), std::max(writer.window().end - step, 0)};
}

// One way around: the part sent in pass 0 is `first_sent`; the part received is always the one before the
// part sent.
template <typename Send, typename Receive>
void go_around(const Circle& circle, const Parts& parts, Rank first_sent, const StepWindow& wanted, Send send,
               Receive receive) {
  Passes sends(parts, first_sent, wanted.first);
  Passes receives(parts, (first_sent + circle.size - 1) % circle.size, wanted.first);
  for (;;) {
    const Rank pass = std::min(sends.pass(), receives.pass());
    if (pass >= wanted.end || pass == Passes::kNone) return;
    if (sends.pass() == pass) {
      send(pass, sends.part());
      sends.next();
    }
    if (receives.pass() == pass) {
      receive(pass, receives.part());
      receives.next();
    }
  }
}

}  // namespace

Circle in_ring_order(const PlanSpec& spec, Rank node) {
  return {spec.workers, spec.order.position_of(node), [&](Rank at) { return spec.order.rank_at(at); }};
}

Circle in_rank_order(const PlanSpec& spec, Rank node) {
  return {spec.workers, node, [](Rank at) { return at; }};
}

Parts chunks_of(const PlanSpec& spec) {
  return {.p = spec.parameters, .n = spec.workers, .count = spec.workers};
}

Parts chunks_in_ring_order(const PlanSpec& spec) {
  Parts parts = chunks_of(spec);
  if (!spec.order.is_default()) parts.order = &spec.order;
  return parts;
}

std::int32_t add_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts) {
  if (circle.size == 1) return step;
  const Rank passes = circle.size - 1;
  const Rank next = circle.rank_at((circle.position + 1) % circle.size);
  const Rank previous = circle.rank_at((circle.position + passes) % circle.size);
  go_around(
      circle, parts, circle.position, wanted_passes(writer, step),
      [&](Rank pass, const Slice& part) { writer.send(step + pass, next, part, Action::kAdd); },
      [&](Rank pass, const Slice& part) {
        writer.receive(step + pass, previous, part, Action::kAdd, /*completes=*/pass == passes - 1);
      });
  return step + passes;
}

std::int32_t share_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                          Rank shift) {
  if (circle.size == 1) return step;
  const Rank passes = circle.size - 1;
  const Rank next = circle.rank_at((circle.position + 1) % circle.size);
  const Rank previous = circle.rank_at((circle.position + passes) % circle.size);
  const Rank whole_here = (circle.position - shift + circle.size) % circle.size;
  go_around(
      circle, parts, whole_here, wanted_passes(writer, step),
      [&](Rank pass, const Slice& part) { writer.send(step + pass, next, part, Action::kCopy); },
      [&](Rank pass, const Slice& part) { writer.receive(step + pass, previous, part, Action::kCopy); });
  return step + passes;
}

std::int32_t pass_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts) {
  step = add_around(writer, step, circle, parts);
  return share_around(writer, step, circle, parts, /*shift=*/-1);
}

void give_to_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                    bool completes) {
  for_each_other_owner(circle, parts, [&](Rank owner) {
    writer.send(step, circle.rank_at(owner), parts.of(owner), Action::kKeep);
  });
  const Slice mine = parts.of(circle.position);
  if (mine.empty()) return;
  const Rank first = parts.number_of(circle.position);
  for (Rank turn = 0; turn < circle.size; ++turn) {
    const Rank position = (first + turn) % circle.size;
    if (position == circle.position) {
      writer.own();
    } else {
      writer.keep(step, circle.rank_at(position), mine);
    }
  }
  writer.fold(step, mine, {.completes = completes});
}

void get_from_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                     std::optional<Rank> has_all) {
  const Slice mine = parts.of(circle.position);
  if (!mine.empty()) {
    for_each_other(circle, [&](Rank rank) {
      if (!has_all || rank != circle.rank_at(*has_all)) writer.send(step, rank, mine, Action::kCopy);
    });
  }
  if (has_all == circle.position) return;
  for_each_other_owner(circle, parts, [&](Rank owner) {
    writer.receive(step, circle.rank_at(owner), parts.of(owner), Action::kCopy);
  });
}

void hand_out(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts, Rank root) {
  if (circle.position != root) {
    writer.receive(step, circle.rank_at(root), parts.of(circle.position), Action::kCopy);
    return;
  }
  for_each_other_owner(circle, parts, [&](Rank owner) {
    writer.send(step, circle.rank_at(owner), parts.of(owner), Action::kCopy);
  });
}

void collect(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts, Rank root) {
  if (circle.position != root) {
    writer.send(step, circle.rank_at(root), parts.of(circle.position), Action::kCopy);
    return;
  }
  for_each_other_owner(circle, parts, [&](Rank owner) {
    writer.receive(step, circle.rank_at(owner), parts.of(owner), Action::kCopy);
  });
}

}  // namespace trireme::plan
