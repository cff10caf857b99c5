#include "exec/placement.h"

#include <algorithm>
#include <cassert>

#include "plan/holdings.h"

namespace trireme::exec {
namespace {

bool contains(const plan::Slice& whole, const plan::Slice& part) {
  return whole.first <= part.first && part.end() <= whole.end();
}

plan::Slice common(const plan::Slice& a, const plan::Slice& b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::max<std::int64_t>(std::min(a.end(), b.end()) - first, 0)};
}

// What arrives for the room is not written to the slice itself; a fold does that later.
bool writes(const plan::Op& op) {
  return op.kind == plan::OpKind::kFold ||
         (op.kind == plan::OpKind::kReceive && !plan::goes_to_room(op.action));
}

}  // namespace

Placement::Placement(const Task& task) : aside_(0) {
  const std::vector<plan::Op>& ops = task.program.ops;
  spots_.reserve(ops.size());
  if (is_in_place(task.spec.operation)) {
    for (const plan::Op& op : ops) spots_.push_back({kInto, task.bytes(op.slice.first)});
    return;
  }
  const plan::Holdings held = plan::holdings(task.spec, task.program.node);
  const std::vector<Piece> brought = packed(task, held.before, kFrom);
  const std::vector<Piece> kept = packed(task, held.after, kInto);
  const std::vector<Piece> aside = pieces_aside(task, kept);
  for (const plan::Op& op : ops) {
    const Piece* piece = find(kept, op.slice);
    if (piece == nullptr) piece = find(aside, op.slice);
    if (piece == nullptr) piece = find(brought, op.slice);
    assert(piece != nullptr);
    spots_.push_back(
        {piece->spot.region, piece->spot.offset + task.bytes(op.slice.first - piece->slice.first)});
  }
  at_begin_ = copies(task, brought, kept);
  const std::vector<Copy> own_aside = copies(task, brought, aside);
  at_begin_.insert(at_begin_.end(), own_aside.begin(), own_aside.end());
  at_end_ = copies(task, aside, kept);
  if (!aside.empty()) aside_ = Room(aside.back().spot.offset + task.bytes(aside.back().slice.count));
}

std::vector<Placement::Piece> Placement::packed(const Task& task, const std::vector<plan::Slice>& slices,
                                                Region region) {
  std::vector<Piece> pieces;
  std::int64_t elements = 0;
  for (const plan::Slice& slice : slices) {
    pieces.push_back({slice, {region, task.bytes(elements)}});
    elements += slice.count;
  }
  return pieces;
}

// Ranges, apart from each other, of all slices that are written but not kept, or sent together with one of
// them.
std::vector<Placement::Piece> Placement::pieces_aside(const Task& task, const std::vector<Piece>& kept) {
  std::vector<plan::Slice> written;
  for (const plan::Op& op : task.program.ops) {
    if (writes(op) && find(kept, op.slice) == nullptr) written.push_back(op.slice);
  }
  std::vector<plan::Slice> slices = written;
  for (const plan::Op& op : task.program.ops) {
    if (op.kind != plan::OpKind::kSend || find(kept, op.slice) != nullptr) continue;
    const auto is_part = [&](const plan::Slice& other) { return plan::overlap(op.slice, other); };
    if (std::ranges::any_of(written, is_part)) slices.push_back(op.slice);
  }
  std::ranges::sort(slices, {}, &plan::Slice::first);
  std::vector<Piece> pieces;
  for (const plan::Slice& slice : slices) {
    if (!pieces.empty() && plan::overlap(pieces.back().slice, slice)) {
      plan::Slice& last = pieces.back().slice;
      last.count = std::max(last.end(), slice.end()) - last.first;
    } else {
      const std::size_t used =
          pieces.empty() ? 0 : pieces.back().spot.offset + task.bytes(pieces.back().slice.count);
      pieces.push_back({slice, {kAside, used}});
    }
  }
  return pieces;
}

std::vector<Placement::Copy> Placement::copies(const Task& task, const std::vector<Piece>& from,
                                               const std::vector<Piece>& into) {
  std::vector<Copy> copies;
  for (const Piece& source : from) {
    for (const Piece& target : into) {
      const plan::Slice both = common(source.slice, target.slice);
      if (both.empty()) continue;
      copies.push_back(
          {.from = {source.spot.region, source.spot.offset + task.bytes(both.first - source.slice.first)},
           .into = {target.spot.region, target.spot.offset + task.bytes(both.first - target.slice.first)},
           .bytes = task.bytes(both.count)});
    }
  }
  return copies;
}

const Placement::Piece* Placement::find(const std::vector<Piece>& pieces, const plan::Slice& slice) {
  const auto found =
      std::ranges::find_if(pieces, [&](const Piece& piece) { return contains(piece.slice, slice); });
  return found == pieces.end() ? nullptr : &*found;
}

void Placement::begin(const Buffers& buffers) {
  // `from` is only read: no op that writes has a spot there.
  regions_ = {const_cast<std::byte*>(buffers.from.data()), buffers.into.data(), aside_.data()};
  run(at_begin_);
}

void Placement::end() { run(at_end_); }

void Placement::run(const std::vector<Copy>& copies) const {
  for (const Copy& copy : copies) {
    // A part that is in its place already, since a caller gathers in place, stays there.
    if (at(copy.into) != at(copy.from)) wire::copy_bytes(at(copy.into), at(copy.from), copy.bytes);
  }
}

}  // namespace trireme::exec
