#include "server/seat.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "wire/group_wire.h"

namespace trireme::server {
namespace {

plan::PlanSpec spec_of(const Share& share) {
  const auto note = static_cast<std::int64_t>(note_bytes(share.parts.size()) / sizeof(float));
  return plan::spec_for(plan::Strategy::kParameterServer, 1, note + share.elements, 1);
}

}  // namespace

Seat::Seat(std::unique_ptr<wire::Wire> pair, const Share& share, const Deadline& deadline)
    : pair_(std::move(pair)),
      note_bytes_(note_bytes(share.parts.size())),
      elements_(share.elements),
      spec_(spec_of(share)),
      push_(spec_, exec::ElementType::kFloat32, *pair_, exec::Reduction::kSum, exec::kToHolders),
      answer_(spec_, exec::ElementType::kFloat32, *pair_, exec::Reduction::kSum, exec::kFromHolders) {
  const std::size_t bytes = note_bytes_ + idx(elements_) * sizeof(float);
  if (wire::shm::Windows* windows = pair_->windows()) {
    window_ = windows->make(*pair_, bytes, deadline);
    if (pair_->rank() == kServer) window_.give_memory_back();
  } else {
    room_ = std::make_unique<exec::Room>(bytes);
    std::memset(room_->data(), 0, bytes);
  }
  for (exec::Runner* half : {&push_, &answer_}) {
    half->leave_in_place();
    half->prepare(deadline);
  }
}

std::span<std::byte> Seat::own() const {
  if (room_) return {room_->data(), note_bytes_ + idx(elements_) * sizeof(float)};
  return window_.bytes();
}

std::byte* Seat::data() const { return pair_->rank() == kServer ? push_.place() : own().data(); }

std::span<float> Seat::numbers() const {
  return {reinterpret_cast<float*>(data() + note_bytes_), idx(elements_)};
}

template <typename Note>
Note Seat::note() const {
  Note note;
  std::memcpy(&note, data(), sizeof(note));
  return note;
}

template <typename Note>
void Seat::set_note(const Note& note) {
  std::memcpy(data(), &note, sizeof(note));
}

template PushNote Seat::note<PushNote>() const;
template AnswerNote Seat::note<AnswerNote>() const;
template void Seat::set_note<PushNote>(const PushNote&);
template void Seat::set_note<AnswerNote>(const AnswerNote&);

bool Seat::has_gradient(std::size_t part) const {
  const auto byte = std::to_integer<unsigned>(data()[kNoteUnit + part / 8]);
  return ((byte >> (part % 8)) & 1U) != 0;
}

void Seat::set_has_gradient(const std::vector<bool>& parts) {
  std::byte* bits = data() + kNoteUnit;
  std::fill(bits, bits + (note_bytes_ - kNoteUnit), std::byte{0});
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts[part]) bits[part / 8] |= std::byte{1} << (part % 8);
  }
}

Rank Seat::peer() const { return pair_->members().job_rank(kServer - pair_->rank()); }

wire::Counters Seat::tally() const {
  wire::Counters both = push_.tally();
  both += answer_.tally();
  return both;
}

wire::Counters Seat::counted() const {
  wire::Counters both = push_.counted();
  both += answer_.counted();
  return both;
}

// In each turn a worker meets another server: so many turns as there are workers or servers, whatever is
// more.
std::vector<std::unique_ptr<Seat>> make_seats(wire::Wire& wire, Rank workers, const Placement& placement,
                                              std::chrono::nanoseconds timeout) {
  const auto servers = static_cast<Rank>(placement.shares.size());
  const Rank turns = std::max(workers, servers);
  const Rank rank = wire.rank();
  const bool is_server = rank >= workers;
  std::vector<std::unique_ptr<Seat>> seats(idx(is_server ? workers : servers));
  for (Rank turn = 0; turn < turns; ++turn) {
    const Rank worker = is_server ? (rank - workers + turns - turn) % turns : rank;
    const Rank server = is_server ? rank - workers : (rank + turn) % turns;
    const bool meets = worker < workers && server < servers && !placement.shares[idx(server)].empty();
    std::unique_ptr<wire::Wire> pair =
        wire::split(wire, meets ? std::optional<std::int64_t>(worker) : std::nullopt, /*key=*/0,
                    Deadline::after(timeout));
    if (!meets) continue;
    seats[idx(is_server ? worker : server)] =
        std::make_unique<Seat>(std::move(pair), placement.shares[idx(server)], Deadline::after(timeout));
  }
  return seats;
}

}  // namespace trireme::server
