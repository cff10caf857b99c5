#include "launch/first_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "launch/logs.h"

namespace trireme::launch {
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

// ": out of luck", where an exception that nobody caught has ended the process; else empty.
std::string exception_in_words(const RankEnd& end) {
  constexpr std::size_t kMost = 300;
  const bool aborted = end.how == RankEnd::How::kKilled && end.code == SIGABRT;
  if (!aborted || end.stopped || end.exception.empty()) return "";
  if (end.exception.size() <= kMost) return ": " + printable(end.exception);
  return ": " + printable(end.exception.substr(0, kMost)) + "…";
}

// The end of the process that is blamed; empty where the report says more than that.
std::string fate_in_words(Rank rank, const RankEnd* end, const Failure& report) {
  if (end == nullptr || !(end->stopped || end->by_itself)) return "";
  if (end->stopped || !end->ok()) {
    // A node that has reported has said why; others only know that it is gone.
    const bool why = report.cause == Failure::Cause::kPeerLost && report.rank != rank;
    return end_in_words(rank, *end) + (why ? exception_in_words(*end) : "") + "; ";
  }
  const bool lost = report.cause == Failure::Cause::kPeerLost || report.cause == Failure::Cause::kFailed;
  if (!lost) return "";
  return end_in_words(rank, *end) + " before the others were done; ";
}

bool ended_badly_by_itself(const RankEnd* end) {
  return end != nullptr && end->by_itself && !end->stopped && !end->ok();
}

// Names the place where the output of a rank stands.
std::string look_there(Rank rank, const std::optional<std::filesystem::path>& logs, bool reported) {
  if (logs) return "see " + printable(log_file(*logs, rank).string());
  return reported ? fmt::format("look at the output of rank {}", rank) : "";
}

}  // namespace

std::string remedy_for(const RankEnd& end) {
  if (end.stopped) return "let a stopped node go on sooner (kill -CONT), or give it longer: --timeout";
  if (end.ok() || !end.by_itself) return "";
  const bool killed = end.how == RankEnd::How::kKilled;
  if (killed && end.code == SIGKILL) {
    return "most often the kernel does so, when memory runs out: see dmesg | grep -i oom, and start fewer "
           "nodes";
  }
  if (!end.silent) return "";
  return killed ? "have it leave a core file to look at: ulimit -c unlimited"
                : "it printed nothing: have it say why it ends";
}

std::string end_in_words(Rank rank, const RankEnd& end) {
  const std::string who = fmt::format("rank {} (process {})", rank, end.process);
  if (end.stopped) return who + " was stopped";
  if (end.how == RankEnd::How::kExited) return fmt::format("{} exited with status {}", who, end.code);
  const char* name = sigdescr_np(end.code);
  return fmt::format("{} was killed by signal {} ({})", who, end.code, name == nullptr ? "unknown" : name);
}

std::optional<FirstFailure> tell_first_failure(std::span<const RankEnd> ends,
                                               std::optional<Rank> first_bad_end,
                                               const std::optional<Failure>& report, Rank first_rank,
                                               const std::optional<std::filesystem::path>& logs) {
  if (!report && !first_bad_end) return std::nullopt;
  FirstFailure first;
  first.rank = report ? culprit_of(*report, ends, first_rank) : first_bad_end;
  const RankEnd* end = end_of(ends, first_rank, first.rank);
  const bool knows_better = ended_badly_by_itself(end);
  if (report) {
    Failure told = *report;
    if (knows_better && report->rank != first.rank) told.hint.clear();
    if (first.rank) first.text = fate_in_words(*first.rank, end, told);
    first.text += printable(to_string(told));
    if (!told.hint.empty()) return first;
  } else {
    first.text = end_in_words(*first.rank, *end) + exception_in_words(*end);
  }
  if (knows_better) first.hint = remedy_for(*end);
  const bool silent = end != nullptr && end->silent;
  if (first.rank && first.hint.empty() && !silent) {
    first.hint = look_there(*first.rank, logs, report && knows_better);
  }
  return first;
}

}  // namespace trireme::launch
