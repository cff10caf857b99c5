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

std::size_t round_up(std::size_t number, std::size_t unit) { return (number + unit - 1) / unit * unit; }

// Huge pages are allocated whole.
std::size_t unit_for(std::size_t bytes) { return bytes >= Segment::kHugePage ? Segment::kHugePage : kPage; }

std::size_t stride_for(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return SIZE_MAX / 2;  // more than any memory: what follows must not wrap around
  return std::max(kPage, round_up(bytes, unit_for(bytes)));
}

// A node's own note when all make a window.
struct Wish {
  std::uint64_t bytes = 0;
  std::uint64_t memory_left = 0;
  std::uint64_t failed = 0;
};

std::vector<Wish> share(Wire& wire, const Wish& wish, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      share_notes(wire, std::as_bytes(std::span(&wish, 1)), kMaking, deadline);
  std::vector<Wish> wishes(idx(wire.size()));
  std::memcpy(wishes.data(), notes.data(), notes.size());
  return wishes;
}

void require_same(const std::vector<Wish>& wishes, Rank rank) {
  for (std::size_t node = 1; node < wishes.size(); ++node) {
    if (wishes[node].bytes == wishes[0].bytes) continue;
    Failure failure;
    failure.cause = Failure::Cause::kMismatch;
    failure.rank = rank;
    failure.culprit = static_cast<Rank>(node);
    failure.op = kMaking;
    failure.what =
        fmt::format("rank {} asks for {} bytes, rank 0 for {}", node, wishes[node].bytes, wishes[0].bytes);
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

Windows::Windows(Neighbours& neighbours)
    : neighbours_(neighbours), ticks_(neighbours), next_offset_(neighbours.segment().windows_offset()) {}

Window Windows::make(Wire& wire, std::size_t bytes, const Deadline& deadline) {
  return or_leave(
      wire, [&] { return make_together(wire, bytes, deadline); },
      [&](Failure& failure) {
        if (!failure.rank) failure.rank = rank();
        if (failure.op.empty()) failure.op = kMaking;
      });
}

Window Windows::make_together(Wire& wire, std::size_t bytes, const Deadline& deadline) {
  const std::size_t nodes = idx(segment().nodes());
  const std::size_t stride = stride_for(bytes);
  Wish wish{.bytes = bytes, .memory_left = memory_left()};
  // All use the free space that node 0 saw before anybody took of it: so all decide alike.
  const std::vector<Wish> wishes = share(wire, wish, deadline);
  require_same(wishes, wire.rank());
  require_memory(nodes, stride, wishes[0].memory_left);

  const std::size_t offset = round_up(next_offset_, unit_for(bytes));
  next_offset_ = offset + nodes * stride;
  std::optional<Error> refused;
  try {
    segment().reserve(offset + idx(wire.rank()) * stride, stride);
  } catch (const Error& error) {
    refused = error;
    wish.failed = 1;
  }
  const std::vector<Wish> results = share(wire, wish, deadline);
  if (refused) throw Error(*refused);
  for (std::size_t node = 0; node < nodes; ++node) {
    if (results[node].failed == 0) continue;
    segment().release(offset + idx(wire.rank()) * stride, stride);
    throw bad_input(fmt::format("rank {} has no memory for its window", node),
                    "free some memory, or use fewer workers or smaller buffers");
  }

  made_.push_back({segment().map(offset, nodes * stride), offset, stride, bytes});
  Window window;
  window.windows_ = this;
  window.own_ = {made_.back().mapping->data() + idx(wire.rank()) * stride, bytes};
  return window;
}

void Windows::unmake(const std::byte* own) {
  const std::size_t rank = idx(neighbours_.rank());
  const auto made = std::find_if(made_.begin(), made_.end(),
                                 [&](const Made& m) { return m.mapping->data() + rank * m.stride == own; });
  if (made == made_.end()) return;
  if (neighbours_.is_here()) segment().release(made->offset + rank * made->stride, made->stride);
  made_.erase(made);
}

std::optional<Place> Windows::find(std::span<const std::byte> buffer) const {
  for (const Made& made : made_) {
    const std::byte* own = made.mapping->data() + idx(neighbours_.rank()) * made.stride;
    if (buffer.data() < own || buffer.data() + buffer.size() > own + made.bytes) continue;
    const auto offset = static_cast<std::size_t>(buffer.data() - own);
    return Place{made.mapping->data() + offset, made.stride, made.offset + offset};
  }
  return std::nullopt;
}

const std::byte* Windows::at_offset(std::uint64_t offset, std::size_t bytes) const {
  for (const Made& made : made_) {
    const std::size_t end = made.offset + idx(segment().nodes()) * made.stride;
    if (offset < made.offset || offset > end || bytes > end - offset) continue;
    return made.mapping->data() + (offset - made.offset);
  }
  return nullptr;
}

Place Windows::stage(int half) const {
  return {segment().stage(0) + idx(half) * stage_bytes(), Segment::kStageBytes, 0};
}

}  // namespace trireme::wire::shm
