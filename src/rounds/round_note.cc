#include "rounds/round_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "rounds/parameter_groups.h"
#include "wire/notes.h"
#include "wire/or_leave.h"

namespace trireme::rounds {
namespace {

static_assert(std::is_trivially_copyable_v<RoundNote>);

bool is_active(const RoundNote& note) { return note.kind != RoundKind::kFollow; }

std::string in_words(const RoundNote& note) {
  std::string words;
  switch (note.kind) {
    case RoundKind::kFollow:
      words = "finished";
      break;
    case RoundKind::kGradients:
      words = "at an exchange of gradients";
      break;
    case RoundKind::kAverage:
      words = "at an average";
      break;
    case RoundKind::kStep:
      words = "at a step by " + rule_in_words(note.rule);
      break;
    case RoundKind::kSum:
      words = "at a sum of " + counted(note.numbers, "number");
      break;
    case RoundKind::kTraffic:
      words = "at the sum of all traffic";
      break;
    case RoundKind::kSave:
      words = "at saving a checkpoint";
      break;
    case RoundKind::kSettle:
      words = "waiting for checkpoints to be written";
      break;
    case RoundKind::kLoad:
      words = "at loading a checkpoint";
      break;
    case RoundKind::kPhase:
      words = "at a step by " + rule_in_words(note.rule) + " that does not wait for all others";
      break;
    case RoundKind::kReport:
      words = "at the report of what was recorded";
      break;
  }
  if (note.exchange > 0) words += fmt::format(" in exchange {}", note.exchange + 1);
  return words;
}

// In a phase each gradient has its own rate.
bool is_same_rule(const RoundNote& a, const RoundNote& b) {
  RuleSpec rule = b.rule;
  if (a.kind == RoundKind::kPhase) rule.rate = a.rule.rate;
  return (a.kind != RoundKind::kStep && a.kind != RoundKind::kPhase) || a.rule == rule;
}

bool is_same(const RoundNote& a, const RoundNote& b) {
  return a.exchange == b.exchange && a.kind == b.kind && is_same_rule(a, b) && a.numbers == b.numbers &&
         a.first == b.first && a.gradients == b.gradients && a.with_gradients == b.with_gradients;
}

// If a node offers gradients without knowing what they are for, they come first.
std::vector<RoundNote> with_gradients_first(std::span<const RoundNote> notes) {
  std::vector<RoundNote> settled(notes.begin(), notes.end());
  const auto is_gradients = [](const RoundNote& note) { return note.kind == RoundKind::kGradients; };
  if (std::none_of(notes.begin(), notes.end(), is_gradients)) return settled;
  for (RoundNote& note : settled) {
    if (!std::exchange(note.with_gradients, false)) continue;
    note.kind = RoundKind::kGradients;
    note.lacks_gradients = false;
  }
  return settled;
}

Error difference(std::span<const RoundNote> notes, std::size_t one, std::size_t other,
                 const wire::Members& members, Rank rank) {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.rank = members.job_rank(rank);
  failure.op = "before a round";
  failure.culprit = members.job_rank(static_cast<Rank>(other));
  failure.what = fmt::format("rank {} is {}, rank {} is {}", members.job_rank(static_cast<Rank>(one)),
                             in_words(notes[one]), *failure.culprit, in_words(notes[other]));
  failure.hint = "let all workers make the same calls in the same order";
  return Error(failure);
}

// A node that does not say how many samples it has counts as one.
std::int64_t divisor_of(std::span<const RoundNote> notes) {
  std::int64_t total = 0;
  for (const RoundNote& note : notes) {
    if (is_active(note)) total += note.samples == RoundNote::kNotSaid ? 1 : note.samples;
  }
  return std::max<std::int64_t>(total, 1);
}

}  // namespace

Round round_of(std::span<const RoundNote> said, const wire::Members& members, Rank rank) {
  const std::vector<RoundNote> notes = with_gradients_first(said);
  Round round;
  round.drive = notes.front().drive;
  round.written = notes.front().written;
  for (const RoundNote& note : notes) {
    round.wishes |= note.wishes;
    round.written = std::min(round.written, note.written);
  }
  const auto leader = std::find_if(notes.begin(), notes.end(), is_active);
  const std::size_t first = idx(leader == notes.end() ? 0 : leader - notes.begin());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (notes[i].exchange != notes[first].exchange) throw difference(notes, first, i, members, rank);
    if (is_active(notes[i]) && !is_same(*leader, notes[i])) throw difference(notes, first, i, members, rank);
  }
  if (leader == notes.end()) return round;
  round.kind = leader->kind;
  round.uneven = std::any_of(notes.begin(), notes.end(),
                             [](const RoundNote& note) { return note.is_worker && !is_active(note); });
  round.leader = static_cast<Rank>(first);
  round.active = std::count_if(notes.begin(), notes.end(), is_active);
  round.divisor = divisor_of(notes);
  round.rule = leader->rule;
  round.numbers = leader->numbers;
  round.first = leader->first;
  round.gradients = leader->gradients;
  round.records = leader->records;
  round.with_gradients = leader->with_gradients;
  round.trains_others =
      std::any_of(notes.begin(), notes.end(), [](const RoundNote& note) { return note.trains_others; });
  const auto has_all = [](const RoundNote& note) { return is_active(note) && !note.lacks_gradients; };
  round.lacks_gradients = std::none_of(notes.begin(), notes.end(), has_all);
  return round;
}

Round agree_on_round(wire::Wire& wire, const RoundNote& own, const Deadline& deadline) {
  const std::vector<std::byte> bytes =
      wire::share_notes(wire, std::as_bytes(std::span(&own, 1)), "before a round", deadline);
  std::vector<RoundNote> notes(idx(wire.size()));
  std::memcpy(notes.data(), bytes.data(), bytes.size());
  return wire::or_leave(
      wire, [&] { return round_of(notes, wire.members(), wire.rank()); }, [](Failure&) {});
}

}  // namespace trireme::rounds
