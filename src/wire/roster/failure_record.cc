#include "wire/roster/failure_record.h"

#include <algorithm>
#include <string>

namespace trireme::wire {
namespace {

// Cuts between characters: the text after the cut must not begin in the middle of one.
template <typename Text>
void write(Text& into, const std::string& text) {
  std::size_t length = std::min(text.size(), into.size() - 1);
  const auto inside_character = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  while (length > 0 && inside_character(length)) --length;
  std::copy_n(text.begin(), length, into.begin());
  into[length] = '\0';
}

template <typename Number>
std::optional<Number> read(std::int64_t field, std::int64_t absent) {
  if (field == absent) return std::nullopt;
  return Number(field);
}

}  // namespace

void FailureRecord::put(const Failure& failure) {
  std::uint32_t none = kNone;
  if (!state_.compare_exchange_strong(none, kBeingWritten, std::memory_order_acq_rel)) return;
  cause_ = failure.cause;
  const auto number = [](const auto& field) { return field ? std::int64_t{*field} : kAbsent; };
  rank_ = number(failure.rank);
  peer_ = number(failure.peer);
  culprit_ = number(failure.culprit);
  op_id_ = number(failure.op_id);
  elapsed_ns_ = failure.elapsed ? failure.elapsed->count() : kAbsent;
  write(what_, failure.what);
  write(op_, failure.op);
  write(hint_, failure.hint);
  state_.store(kThere, std::memory_order_release);
}

std::optional<Failure> FailureRecord::get() const {
  if (state_.load(std::memory_order_acquire) != kThere) return std::nullopt;
  Failure failure;
  failure.cause = cause_;
  failure.rank = read<Rank>(rank_, kAbsent);
  failure.peer = read<Rank>(peer_, kAbsent);
  failure.culprit = read<Rank>(culprit_, kAbsent);
  failure.op_id = read<OpId>(op_id_, kAbsent);
  failure.elapsed = read<std::chrono::nanoseconds>(elapsed_ns_, kAbsent);
  failure.what = what_.data();
  failure.op = op_.data();
  failure.hint = hint_.data();
  return failure;
}

}  // namespace trireme::wire
