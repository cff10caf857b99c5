#include "launch/first_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace trireme {
namespace {

const RankEnd* end_of(std::span<const RankEnd> ends, Rank first_rank, std::optional<Rank> rank) {
  if (!rank || *rank < first_rank || idx(*rank - first_rank) >= ends.size()) return nullptr;
  return &ends[idx(*rank - first_rank)];
}

std::optional<Rank> culprit_of(const Failure& report, std::span<const RankEnd> ends, Rank first_rank) {
  const std::optional<Rank> blamed = report.culprit ? report.culprit : report.rank;
  if (report.cause != Failure::Cause::kTimeout) return blamed;
  if (const RankEnd* end = end_of(ends, first_rank, blamed); end != nullptr && end->stopped) return blamed;
  const auto stopped = std::find_if(ends.begin(), ends.end(), [](const RankEnd& end) { return end.stopped; });
  return stopped == ends.end() ? blamed : first_rank + static_cast<Rank>(stopped - ends.begin());
}

// What became of the process of the node that is blamed, where that says more than the report.
std::string fate_in_words(Rank rank, const RankEnd* end, const Failure& report) {
  if (end == nullptr || !(end->stopped || end->by_itself)) return "";
  if (end->stopped || !end->ok()) return end_in_words(rank, *end) + "; ";
  if (report.cause != Failure::Cause::kPeerLost) return "";
  return end_in_words(rank, *end) + " before the others were done; ";
}

}  // namespace

std::string end_in_words(Rank rank, const RankEnd& end) {
  const std::string who = fmt::format("rank {} (process {})", rank, end.process);
  if (end.stopped) return who + " was stopped";
  if (end.how == RankEnd::How::kExited) return fmt::format("{} exited with status {}", who, end.code);
  const char* name = sigdescr_np(end.code);
  return fmt::format("{} was killed by signal {} ({})", who, end.code, name == nullptr ? "unknown" : name);
}

std::optional<FirstFailure> tell_first_failure(std::span<const RankEnd> ends,
                                               std::optional<Rank> first_bad_end,
                                               const std::optional<Failure>& report, Rank first_rank) {
  FirstFailure first;
  if (!report) {
    if (!first_bad_end) return std::nullopt;
    first.rank = first_bad_end;
    first.text = end_in_words(*first_bad_end, *end_of(ends, first_rank, first_bad_end));
    return first;
  }
  first.rank = culprit_of(*report, ends, first_rank);
  if (first.rank) first.text = fate_in_words(*first.rank, end_of(ends, first_rank, first.rank), *report);
  first.text += printable(to_string(*report));
  return first;
}

}  // namespace trireme
