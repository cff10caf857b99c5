#include "plan/verifier/symbolic_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/holdings.h"
#include "plan/strategies/operations.h"
#include "plan/verifier/sum_order.h"

namespace trireme::plan::verifier {
namespace {

// The borders at which the ops of a program will cut its buffer: in a sum nearly all ops begin where another
// one is written. The few other cuts are made when needed.
void collect_borders(const PlanSpec& spec, const Program& program, std::vector<std::int64_t>& borders) {
  const bool has_rows = spec.operation == Operation::kAllToAll;  // of which most elements are never used
  borders.clear();
  for (const Op& op : program.ops) {
    if (!has_rows && (op.kind != OpKind::kReceive || goes_to_room(op.action))) continue;
    borders.push_back(op.slice.first);
    if (has_rows) borders.push_back(op.slice.end());
  }
  std::sort(borders.begin(), borders.end());
}

void collect_room_borders(const Program& program, std::vector<std::int64_t>& borders) {
  borders.clear();
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::kReceive && goes_to_room(op.action)) borders.push_back(op.room);
  }
  std::sort(borders.begin(), borders.end());
}

}  // namespace

SymbolicMemory::SymbolicMemory(const Plan& plan, Problems& problems)
    : plan_(plan), problems_(problems), promised_everywhere_(promised_in_ring_order(pool_, plan.spec)) {
  nodes_.reserve(plan.programs.size());
  std::uint32_t ops = 0;
  for (const Program& program : plan.programs) {
    first_writer_.push_back(ops);
    ops += static_cast<std::uint32_t>(program.ops.size());
    collect_borders(plan.spec, program, borders_);
    RunMap buffer(plan.spec.elements(), SumPool::kNothing, borders_);
    for (const Slice& slice : holdings(plan.spec, program.node).before) {
      for (Run& run : buffer.runs(slice)) run.sum = pool_.contribution(program.node);
    }
    collect_room_borders(program, borders_);
    nodes_.push_back({std::move(buffer), RunMap(program.room_elements, SumPool::kNothing, borders_)});
  }
}

void SymbolicMemory::message(Rank from, Rank to, const Op& receive, std::uint32_t writer) {
  pieces_.clear();
  read(nodes_[idx(from)].buffer, receive.slice, from, receive);
  Node& receiver = nodes_[idx(to)];
  if (goes_to_room(receive.action)) {
    write(receiver.room, {receive.room, receive.slice.count}, to, receive, writer);
  } else {
    write(receiver.buffer, receive.slice, to, receive, writer);
  }
}

void SymbolicMemory::read(RunMap& memory, const Slice& slice, Rank node, const Op& op) {
  for (Run& run : memory.runs(slice)) {
    if (run.sum == SumPool::kNothing) problems_.add(node, op, "reads what was never written");
    run.set_read();
    pieces_.push_back({run.first - slice.first, run.sum});
  }
}

// Writes `pieces_` into the slice. The pieces and the runs that are there may be cut differently.
void SymbolicMemory::write(RunMap& memory, const Slice& slice, Rank node, const Op& op,
                           std::uint32_t writer) {
  const std::span<Run> old = memory.runs(slice);
  if (old.size() == 1 && pieces_.size() == 1) {
    old[0].sum = written_over(old[0], pieces_[0].sum, node, op);
    old[0].mark = Run::written_by(writer);
    return;
  }
  made_.clear();
  std::size_t run = 0;
  std::size_t piece = 0;
  for (std::int64_t at = slice.first; at < slice.end();) {
    const Sum sum = written_over(old[run], pieces_[piece].sum, node, op);
    // Neighbours with the same sum become one run; otherwise there would soon be one run per chunk on each
    // node.
    if (made_.empty() || made_.back().sum != sum) made_.push_back({at, sum, Run::written_by(writer)});
    const std::int64_t run_end = run + 1 < old.size() ? old[run + 1].first : slice.end();
    const std::int64_t piece_end =
        piece + 1 < pieces_.size() ? slice.first + pieces_[piece + 1].offset : slice.end();
    at = std::min(run_end, piece_end);
    if (at == run_end) ++run;
    if (at == piece_end) ++piece;
  }
  memory.replace(old, made_);
}

Sum SymbolicMemory::written_over(const Run& old, Sum incoming, Rank node, const Op& op) {
  if (op.kind == OpKind::kReceive && op.action == Action::kAdd) {
    if (old.sum == SumPool::kNothing) problems_.add(node, op, "is added to what was never written");
    if (pool_.is_complete(old.sum) || pool_.is_complete(incoming)) {
      problems_.add(node, op, "goes on adding to a sum that was complete");
    }
    const Sum sum = pool_.add(old.sum, incoming);
    return op.completes ? pool_.complete(sum) : sum;
  }
  if (old.sum == incoming) problems_.add(node, op, "superfluous: writes what is there already");
  if (old.is_unread()) problems_.add(node, op, "overwrites what arrived and was never read: superfluous");
  return incoming;
}

Slice SymbolicMemory::place_of(const Source& source, const Slice& part, const Op& op) const {
  return source.room == Source::kOwn ? part : Slice{source.room + part.first - op.slice.first, part.count};
}

void SymbolicMemory::fold(Rank node, const Op& op, std::uint32_t writer) {
  Node& at = nodes_[idx(node)];
  const std::span sources =
      std::span(plan_.programs[idx(node)].sources).subspan(idx(op.room), idx(op.source_count));
  const auto memory_of = [&](const Source& source) -> RunMap& {
    return source.room == Source::kOwn ? at.buffer : at.room;
  };

  // The borders at which any of the sources changes its value inside the slice; usually none.
  borders_.assign({op.slice.first, op.slice.end()});
  for (const Source& source : sources) {
    const Slice place = place_of(source, op.slice, op);
    for (const Run& run : memory_of(source).runs(place)) {
      check_source(node, source, run, op);
      if (run.first > place.first) borders_.push_back(run.first - place.first + op.slice.first);
    }
  }
  std::sort(borders_.begin(), borders_.end());
  borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());

  std::vector<Piece> result;
  for (std::size_t i = 0; i + 1 < borders_.size(); ++i) {
    const Slice part{borders_[i], borders_[i + 1] - borders_[i]};
    summands_.clear();
    pieces_.clear();
    for (const Source& source : sources) read(memory_of(source), place_of(source, part, op), node, op);
    for (const Piece& piece : pieces_) summands_.push_back(piece.sum);
    pieces_.swap(result);
    add_up(part, summands_, node, op);
    pieces_.swap(result);
  }
  pieces_.swap(result);
  write(at.buffer, op.slice, node, op, writer);
}

// A source says whose contribution it is, which explanations repeat, and where its elements are: both must be
// true. Messages keep elements in their place, so only the room can mix them up.
void SymbolicMemory::check_source(Rank node, const Source& source, const Run& run, const Op& op) {
  const bool is_own = source.room == Source::kOwn;
  if (!is_own && !run.is_written()) return;  // `read` reports it
  const Rank whose = is_own ? node : writer_in(node, run).peer;
  if (whose != source.rank) {
    problems_.add(node, op, fmt::format("takes rank {1}'s contribution for rank {0}'s", source.rank, whose));
  }
  if (is_own) return;
  const Op& kept = writer_in(node, run);
  if (kept.slice.first - kept.room != op.slice.first - source.room) {
    problems_.add(node, op, fmt::format("adds up other elements of rank {} in their place", whose));
  }
}

const Op& SymbolicMemory::writer_in(Rank node, const Run& run) const {
  return plan_.programs[idx(node)].ops[run.writer() - first_writer_[idx(node)]];
}

// Appends the sums of a part in which every summand is one run.
void SymbolicMemory::add_up(const Slice& part, std::span<const Sum> summands, Rank node, const Op& op) {
  for (const Sum summand : summands) {
    if (pool_.is_complete(summand)) problems_.add(node, op, "goes on adding to a sum that was complete");
  }
  const SumPool::List list = pool_.list(summands);
  const Sum sum = op.by_chunk ? pool_.by_chunk(list) : pool_.chain(list, 0);
  pieces_.push_back({part.first - op.slice.first, op.completes ? pool_.complete(sum) : sum});
}

Sum SymbolicMemory::promised(std::int64_t element) {
  const PlanSpec& spec = plan_.spec;
  if (!adds_up(spec.operation)) return promised_in(pool_, spec, element);
  // A strategy that promises one order for all chunks is asked only once.
  const std::int64_t k = chunk_of(promise_end(spec, element) - 1, spec.parameters, spec.workers);
  if (promised_.size() <= idx(k)) promised_.resize(idx(spec.workers));
  Sum& sum = promised_[idx(k)];
  if (sum == SumPool::kNothing) sum = promised_in(pool_, spec, element);
  return sum;
}

Sum SymbolicMemory::value_at(const Run& run, std::int64_t element) {
  const PlanSpec& spec = plan_.spec;
  if (!adds_up(spec.operation)) return run.sum;
  return pool_.in_chunk(run.sum, idx(chunk_of(element, spec.parameters, spec.workers)));
}

void SymbolicMemory::check_results() {
  for (Rank node = 0; node < plan_.spec.nodes(); ++node) {
    for (const Slice& slice : holdings(plan_.spec, node).after) check_result(node, slice);
    check_unread(node, nodes_[idx(node)].room, "superfluous: is put aside and never added up");
    check_unread(node, nodes_[idx(node)].buffer,
                 plan_.spec.is_server(node) ? "superfluous: is made and never sent"
                                            : "superfluous: is no part of the result and never sent");
  }
}

// Counts as reading: so what is left unread then is no part of a result.
void SymbolicMemory::check_result(Rank node, const Slice& slice) {
  const std::span<Run> runs = nodes_[idx(node)].buffer.runs(slice);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run& run = runs[i];
    run.set_read();
    if (run.sum == promised_everywhere_ && run.sum != SumPool::kNothing) continue;
    const std::int64_t end = i + 1 < runs.size() ? runs[i + 1].first : slice.end();
    for (std::int64_t first = run.first; first < end && !problems_.full();) {
      const std::int64_t until = std::min(end, promise_end(plan_.spec, first));
      const Slice part{first, until - first};
      const Sum sum = value_at(run, first);
      if (sum != promised(first)) report_result(node, sum, part);
      first = until;
    }
  }
}

// Says what is wrong with a part of a result that is not the promised one.
void SymbolicMemory::report_result(Rank node, Sum sum, const Slice& slice) {
  if (!adds_up(plan_.spec.operation)) return report_moved(node, sum, slice);
  const auto report = [&](const std::string& text) { problems_.add(last_step(node), node, slice, text); };
  const std::vector<std::uint32_t> times = pool_.contributions(sum, plan_.spec.workers);
  bool all_once = true;
  for (Rank from = 0; from < plan_.spec.workers; ++from) {
    if (times[idx(from)] == 1) continue;
    all_once = false;
    report(times[idx(from)] == 0
               ? fmt::format("the result lacks the contribution of rank {}", from)
               : fmt::format("the result has the contribution of rank {} {} times", from, times[idx(from)]));
  }
  if (!all_once) return;
  report(pool_.is_complete(sum) == pool_.is_complete(promised(slice.first))
             ? "the result was added up in another order than promised"
             : "the result has everybody's contribution, but nobody completed it");
}

// Only one worker ever has this element: so what is there is nothing, its contribution, or a sum with itself.
void SymbolicMemory::report_moved(Rank node, Sum sum, const Slice& slice) {
  const std::vector<std::uint32_t> times = pool_.contributions(promised(slice.first), plan_.spec.workers);
  const auto owner = std::find(times.begin(), times.end(), 1U) - times.begin();
  problems_.add(last_step(node), node, slice,
                fmt::format("the result {} the contribution of rank {}",
                            sum == SumPool::kNothing ? "lacks" : "has a sum in place of", owner));
}

std::int32_t SymbolicMemory::last_step(Rank node) const {
  const std::vector<Op>& ops = plan_.programs[idx(node)].ops;
  return ops.empty() ? 0 : ops.back().step;
}

void SymbolicMemory::check_unread(Rank node, const RunMap& memory, const char* text) {
  for (const Run& run : memory.all()) {
    if (run.is_unread()) problems_.add(node, writer_in(node, run), text);
    if (problems_.full()) return;
  }
}

}  // namespace trireme::plan::verifier
