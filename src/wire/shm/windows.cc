#include "wire/shm/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "wire/notes.h"
#include "wire/or_leave.h"
#include "wire/wire.h"

namespace trireme::wire::shm {
namespace {

constexpr const char* kMaking = "making a window";
constexpr std::size_t kPage = 4096;

// Huge pages are allocated whole.
std::size_t unit_for(std::size_t bytes) { return bytes >= Segment::kHugePage ? Segment::kHugePage : kPage; }

std::size_t stride_for(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return SIZE_MAX / 2;  // more than any memory: what follows must not wrap around
  return std::max(kPage, round_up(bytes, unit_for(bytes)));
}

// A node's own note when all make a window.
struct Wish {
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // node 0: where it will be in the job's file
  std::uint64_t memory_left = 0;
  std::uint64_t failed = 0;
};

std::vector<Wish> share_wishes(Wire& wire, const Wish& wish, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      share_notes(wire, std::as_bytes(std::span(&wish, 1)), kMaking, deadline);
  std::vector<Wish> wishes(idx(wire.size()));
  std::memcpy(wishes.data(), notes.data(), notes.size());
  return wishes;
}

void require_same(const std::vector<Wish>& wishes, const Members& members, Rank rank) {
  for (std::size_t node = 1; node < wishes.size(); ++node) {
    if (wishes[node].bytes == wishes[0].bytes) continue;
    Failure failure;
    failure.cause = Failure::Cause::kMismatch;
    failure.rank = members.job_rank(rank);
    failure.culprit = members.job_rank(static_cast<Rank>(node));
    failure.op = kMaking;
    failure.what = fmt::format("rank {} asks for {} bytes, rank {} for {}", *failure.culprit,
                               wishes[node].bytes, members.job_rank(0), wishes[0].bytes);
    failure.hint = "let every node make the same windows in the same order";
    throw Error(std::move(failure));
  }
}

}  // namespace

Window::Window(Window&& other) noexcept
    : windows_(std::exchange(other.windows_, nullptr)), own_(std::exchange(other.own_, {})) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(windows_, other.windows_);
  std::swap(own_, other.own_);
  return *this;
}

Window::~Window() {
  if (windows_ != nullptr) windows_->unmake(own_.data());
}

void Window::give_memory_back() const {
  if (windows_ != nullptr) windows_->give_back(*windows_->made_at(own_.data()));
}

Windows::Windows(Neighbours& neighbours)
    : neighbours_(neighbours),
      members_(neighbours.segment().nodes()),
      rank_(neighbours.rank()),
      memory_(neighbours.segment().job_memory()),
      ticks_(neighbours, members_, rank_, memory_),
      entrance_(ticks_, members_, rank_, neighbours.roster()) {}

Windows::Windows(Neighbours& neighbours, Members members, Rank rank, std::size_t offset)
    : neighbours_(neighbours),
      members_(std::move(members)),
      rank_(rank),
      mapping_(neighbours.segment().map(offset, GroupMemory::bytes_for(members_.size()))),
      offset_(offset),
      memory_(mapping_->data(), members_.size()),
      ticks_(neighbours, members_, rank_, memory_),
      entrance_(ticks_, members_, rank_, neighbours.roster()) {}

// The last node of a group gives its memory back.
Windows::~Windows() {
  if (!mapping_ || !neighbours_.is_here()) return;
  if (memory_.departures().fetch_add(1, std::memory_order_acq_rel) + 1 < nodes()) return;
  segment().release(offset_, GroupMemory::bytes_for(nodes()));
}

std::size_t Windows::share(const Segment& segment, Rank nodes) {
  const std::size_t bytes = round_up(GroupMemory::bytes_for(nodes), kPage);
  const std::size_t offset = segment.allocate(bytes, kPage);
  segment.extend(offset, bytes);
  return offset;
}

Window Windows::make(Wire& wire, std::size_t bytes, const Deadline& deadline) {
  return or_leave(
      wire, [&] { return make_together(wire, bytes, deadline); },
      [&](Failure& failure) {
        if (!failure.rank) failure.rank = neighbours_.rank();
        if (failure.op.empty()) failure.op = kMaking;
      });
}

Window Windows::make_together(Wire& wire, std::size_t bytes, const Deadline& deadline) {
  const std::size_t nodes = idx(members_.size());
  const std::size_t stride = stride_for(bytes);
  Wish wish{.bytes = bytes, .memory_left = memory_left()};
  // No more than there is: nobody may wrap around the end of the file.
  if (rank_ == 0 && stride <= wish.memory_left / nodes) {
    wish.offset = segment().allocate(nodes * stride, unit_for(bytes));
  }
  // All use the free space that node 0 saw before anybody took of it: so all decide alike.
  const std::vector<Wish> wishes = share_wishes(wire, wish, deadline);
  require_same(wishes, members_, rank_);
  require_memory(nodes, stride, wishes[0].memory_left);

  const std::size_t offset = wishes[0].offset;
  std::optional<Error> refused;
  try {
    segment().reserve(offset + idx(rank_) * stride, stride);
  } catch (const Error& error) {
    refused = error;
    wish.failed = 1;
  }
  const std::vector<Wish> results = share_wishes(wire, wish, deadline);
  if (refused) throw Error(*refused);
  for (std::size_t node = 0; node < nodes; ++node) {
    if (results[node].failed == 0) continue;
    segment().release(offset + idx(rank_) * stride, stride);
    throw bad_input(
        fmt::format("rank {} has no memory for its window", members_.job_rank(static_cast<Rank>(node))),
        "free some memory, or use fewer workers or smaller buffers");
  }

  made_.push_back({segment().map(offset, nodes * stride), offset, stride, bytes});
  Window window;
  window.windows_ = this;
  window.own_ = {made_.back().mapping->data() + idx(rank_) * stride, bytes};
  return window;
}

std::vector<Windows::Made>::iterator Windows::made_at(const std::byte* own) {
  return std::find_if(made_.begin(), made_.end(),
                      [&](const Made& m) { return m.mapping->data() + idx(rank_) * m.stride == own; });
}

void Windows::give_back(const Made& made) const {
  if (neighbours_.is_here()) segment().release(made.offset + idx(rank_) * made.stride, made.stride);
}

void Windows::unmake(const std::byte* own) {
  const auto made = made_at(own);
  if (made == made_.end()) return;
  give_back(*made);
  made_.erase(made);
}

std::optional<Place> Windows::find(std::span<const std::byte> buffer) const {
  for (const Made& made : made_) {
    const std::byte* own = made.mapping->data() + idx(rank_) * made.stride;
    if (buffer.data() < own || buffer.data() + buffer.size() > own + made.bytes) continue;
    const auto offset = static_cast<std::size_t>(buffer.data() - own);
    return Place{made.mapping->data() + offset, made.stride, made.offset + offset};
  }
  return std::nullopt;
}

const std::byte* Windows::at_offset(std::uint64_t offset, std::size_t bytes) const {
  for (const Made& made : made_) {
    const std::size_t end = made.offset + idx(nodes()) * made.stride;
    if (offset < made.offset || offset > end || bytes > end - offset) continue;
    return made.mapping->data() + (offset - made.offset);
  }
  return nullptr;
}

Place Windows::stage(int half) const {
  return {memory_.stage(0) + idx(half) * stage_bytes(), GroupMemory::kStageBytes, 0};
}

}  // namespace trireme::wire::shm
