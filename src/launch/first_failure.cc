#include "launch/first_failure.h"

#include <fmt/format.h>

#include <cstring>

#include "base/text.h"

namespace trireme {
namespace {

bool ended_badly_by_itself(std::span<const RankEnd> ends, Rank first_rank, std::optional<Rank> rank) {
  if (!rank || *rank < first_rank || idx(*rank - first_rank) >= ends.size()) return false;
  const RankEnd& end = ends[idx(*rank - first_rank)];
  return end.by_itself && !end.ok();
}

}  // namespace

std::string end_in_words(Rank rank, const RankEnd& end) {
  const std::string who = fmt::format("rank {} (process {})", rank, end.process);
  if (end.how == RankEnd::How::kExited) return fmt::format("{} exited with status {}", who, end.code);
  const char* name = sigdescr_np(end.code);
  return fmt::format("{} was killed by signal {} ({})", who, end.code, name == nullptr ? "unknown" : name);
}

std::optional<FirstFailure> tell_first_failure(std::span<const RankEnd> ends,
                                               std::optional<Rank> first_bad_end,
                                               const std::optional<Failure>& report, Rank first_rank) {
  const auto end_of = [&](Rank rank) { return end_in_words(rank, ends[idx(rank - first_rank)]); };
  FirstFailure first;
  if (!report) {
    if (!first_bad_end) return std::nullopt;
    first.rank = first_bad_end;
    first.text = end_of(*first_bad_end);
    return first;
  }
  first.rank = report->culprit ? report->culprit : report->rank;
  first.text = printable(to_string(*report));
  if (ended_badly_by_itself(ends, first_rank, first.rank)) {
    first.text = end_of(*first.rank) + "; " + first.text;
  }
  return first;
}

}  // namespace trireme
