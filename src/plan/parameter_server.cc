#include "plan/parameter_server.h"

#include "plan/program_writer.h"
#include "plan/share.h"

namespace trireme {
namespace {

constexpr std::int32_t kPush = 0;
constexpr std::int32_t kPull = 1;

// As a worker: a slice for each holder but itself.
void push_shares(const PlanSpec& spec, Rank node, ProgramWriter& writer) {
  for (std::int32_t j = 0; j < share_count(spec); ++j) {
    const Rank holder = share_holder(spec, j);
    if (holder != node) writer.send(kPush, holder, share(spec, j), Action::kUpdate);
  }
}

void pull_shares(const PlanSpec& spec, Rank node, ProgramWriter& writer) {
  for (std::int32_t j = 0; j < share_count(spec); ++j) {
    const Rank holder = share_holder(spec, j);
    if (holder != node) writer.receive(kPull, holder, share(spec, j), Action::kCopy);
  }
}

// As the holder of a share: everybody's gradient of it in, the answer out.
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
  for (Rank position = 0; position < spec.workers; ++position) {
    const Rank worker = spec.order.rank_at(position);
    if (worker != node) writer.send(kPull, worker, held, Action::kCopy);
  }
}

}  // namespace

Program parameter_server(const PlanSpec& spec, Rank node) {
  ProgramWriter writer(spec, node);
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

}  // namespace trireme
