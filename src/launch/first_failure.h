// Which failure was the first, in words.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "launch/job.h"

namespace trireme {

/// "rank 2 (process 4711) was killed by signal 9 (Killed)", "rank 0 (process 12) exited with status 3".
[[nodiscard]] std::string end_in_words(Rank rank, const RankEnd& end);

/// From what processes did (`ends`: of `first_rank` and those after it; `first_bad_end`: the rank that ended
/// badly first, by itself) and what nodes said (`report`). A report tells why, so it goes before an end,
/// unless the end is of the very node that the report blames: then both are told. Nothing where there is
/// neither.
[[nodiscard]] std::optional<FirstFailure> tell_first_failure(std::span<const RankEnd> ends,
                                                             std::optional<Rank> first_bad_end,
                                                             const std::optional<Failure>& report,
                                                             Rank first_rank = 0);

}  // namespace trireme
