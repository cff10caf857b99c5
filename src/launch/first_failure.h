// Which failure was the first, in words.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "launch/job.h"

namespace trireme::launch {

/// "rank 2 (process 4711) was killed by signal 9 (Killed)", "rank 0 (process 12) exited with status 3", "rank
/// 1 (process 13) was stopped".
[[nodiscard]] std::string end_in_words(Rank rank, const RankEnd& end);

/// One thing to try where a process ended so, by itself, or was stopped; empty where what it printed may tell
/// more.
[[nodiscard]] std::string remedy_for(const RankEnd& end);

/// Tells it from the ends of the processes (`ends`: of `first_rank` and those after it; `first_bad_end`: the
/// rank that ended badly first, by itself) and from the failure that nodes told (`report`). Returns nothing
/// where there is neither. A report tells why, so it goes before an end. If the node that it blames has ended
/// by itself or is stopped, that is told first. If a deadline has passed, a node that is stopped is the
/// reason, whomever the report blames. If others report on a node that has ended by itself, their hint is
/// left out. If an exception that nobody caught has ended the node, its text is told, unless the node has
/// reported. Nobody is sent to the output of a node that has printed nothing.
[[nodiscard]] std::optional<FirstFailure> tell_first_failure(
    std::span<const RankEnd> ends, std::optional<Rank> first_bad_end, const std::optional<Failure>& report,
    Rank first_rank = 0, const std::optional<std::filesystem::path>& logs = {});

}  // namespace trireme::launch
