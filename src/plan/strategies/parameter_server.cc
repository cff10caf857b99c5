#include "plan/strategies/strategies.h"

#include <algorithm>

#include "plan/movements/program_writer.h"
#include "plan/share.h"

namespace trireme::plan {
namespace {

constexpr std::int32_t kPush = 0;
constexpr std::int32_t kPull = 1;

// The share with which a worker begins: a different one for each worker, as far as there are enough.
std::int64_t first_share_of(const PlanSpec& spec, Rank node) {
  const std::int64_t position = spec.order.position_of(node);
  return spec.servers > 0 ? position : position * spec.shares_on_workers / spec.workers + 1;
}

// Visits the shares of other holders; with fewer elements than shares, only those that are not empty. Every
// node begins with a different holder, so that not all send to one holder at once. Which shares are empty
// when no variable is cut, only a look at each of them tells.
template <typename Visit>
void for_each_other_share(const PlanSpec& spec, Rank node, Visit visit) {
  const auto s = static_cast<std::int64_t>(share_count(spec));
  const std::int64_t not_empty = spec.whole_variables ? s : std::min(s, spec.parameters);
  const std::int64_t begin = first_share_of(spec, node) % std::max<std::int64_t>(not_empty, 1);
  for (std::int64_t turn = 0; turn < not_empty; ++turn) {
    const std::int64_t i = (begin + turn) % not_empty;
    const auto j = static_cast<std::int32_t>(not_empty == s ? i : chunk_of(i, spec.parameters, s));
    const Rank holder = share_holder(spec, j);
    if (holder != node) visit(holder, share(spec, j));
  }
}

// The node as a worker: sends a slice to each holder but itself.
void push_shares(const PlanSpec& spec, Rank node, ProgramWriter& writer) {
  for_each_other_share(spec, node, [&](Rank holder, const Slice& slice) {
    writer.send(kPush, holder, slice, Action::kUpdate);
  });
}

void pull_shares(const PlanSpec& spec, Rank node, ProgramWriter& writer) {
  for_each_other_share(spec, node, [&](Rank holder, const Slice& slice) {
    writer.receive(kPull, holder, slice, Action::kCopy);
  });
}

// The node as the holder of a share: receives every gradient of it and sends the answer.
void collect_share(const PlanSpec& spec, Rank node, const Slice& held, ProgramWriter& writer) {
  if (held.empty()) return;
  for (Rank position = 0; position < spec.workers; ++position) {
    const Rank worker = spec.order.rank_at(position);
    if (worker == node) {
      writer.own();
    } else {
      writer.keep(kPush, worker, held, Action::kUpdate);
    }
  }
  writer.fold(kPush, held, {.by_chunk = true, .completes = true, .action = Action::kUpdate});
}

void answer_share(const PlanSpec& spec, Rank node, const Slice& held, ProgramWriter& writer) {
  if (held.empty()) return;
  const Rank begin = spec.is_server(node) ? node - spec.workers : spec.order.position_of(node) + 1;
  for (Rank turn = 0; turn < spec.workers; ++turn) {
    const Rank worker = spec.order.rank_at((begin + turn) % spec.workers);
    if (worker != node) writer.send(kPull, worker, held, Action::kCopy);
  }
}

}  // namespace

Program parameter_server(const PlanSpec& spec, Rank node, const StepWindow& window) {
  ProgramWriter writer(spec, node, window);
  if (spec.nodes() == 1) return writer.take();

  const std::int32_t j = share_held_by(spec, node);
  const Slice held = j < 0 ? Slice{} : share(spec, j);
  const bool works = !spec.is_server(node);

  if (works) push_shares(spec, node, writer);
  collect_share(spec, node, held, writer);
  if (works) pull_shares(spec, node, writer);
  answer_share(spec, node, held, writer);
  return writer.take();
}

}  // namespace trireme::plan
