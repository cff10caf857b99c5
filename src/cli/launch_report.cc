#include "cli/launch_report.h"

#include <fmt/format.h>

#include <cstring>

#include "base/exit_status.h"
#include "base/system/output.h"
#include "base/text.h"
#include "report/exchange_report.h"

namespace trireme::cli {
namespace {

report::Json rank_json(Rank rank, const std::optional<launch::RankEnd>& end) {
  if (!end) return {{"rank", rank}, {"process", nullptr}, {"status", "unknown"}, {"code", nullptr}};
  return {{"rank", rank},
          {"process", end->process},
          {"status", end->how == launch::RankEnd::How::kExited ? "exited" : "killed"},
          {"code", end->code}};
}

// A node gets its input through launch, so launch also reports bad input.
int status_of(const launch::ssh::HostsJobEnd& end) {
  if (end.interrupted) return kExitInterrupted;
  if (!end.first_failure) return kExitDone;
  const std::optional<Rank> rank = end.first_failure->rank;
  const bool known = rank && idx(*rank) < end.ranks.size() && end.ranks[idx(*rank)];
  return known && end.ranks[idx(*rank)]->refused_input() ? kExitBadInput : kExitFailed;
}

}  // namespace

launch::ssh::HostsJobEnd as_hosts_job_end(const launch::JobEnd& end) {
  launch::ssh::HostsJobEnd all;
  all.ranks.assign(end.ranks.begin(), end.ranks.end());
  all.elapsed = end.elapsed;
  all.interrupted = end.interrupted;
  all.first_failure = end.first_failure;
  return all;
}

std::string launch_document(const launch::ssh::HostsJobEnd& end,
                            const std::vector<launch::ssh::HostPart>& hosts,
                            const std::optional<std::filesystem::path>& logs) {
  report::Json json;
  json["nodes"] = end.ranks.size();
  json["ok"] = !end.interrupted && !end.first_failure;
  json["seconds"] = std::chrono::duration<double>(end.elapsed).count();
  json["logs"] = nullptr;
  if (logs) json["logs"] = printable(logs->string());
  json["ranks"] = report::Json::array();
  for (std::size_t i = 0; i < end.ranks.size(); ++i) {
    json["ranks"].push_back(rank_json(static_cast<Rank>(i), end.ranks[i]));
    for (const launch::ssh::HostPart& host : hosts) {
      if (host.has(static_cast<Rank>(i))) json["ranks"].back()["host"] = host.name;
    }
  }
  json["first_failure"] = nullptr;
  json["first_failure_rank"] = nullptr;
  if (end.first_failure) json["first_failure"] = end.first_failure->text;
  if (end.first_failure && end.first_failure->rank) json["first_failure_rank"] = *end.first_failure->rank;
  return report::document_text(json);
}

int tell_end(const launch::ssh::HostsJobEnd& end) {
  if (end.interrupted) {
    say_of_launch(
        fmt::format("interrupted by signal {} ({})", *end.interrupted, sigdescr_np(*end.interrupted)));
  }
  if (end.first_failure) {
    const auto& [text, rank, hint] = *end.first_failure;
    say_of_launch("first failure: " + text + (hint.empty() ? "" : "; " + hint));
  }
  return status_of(end);
}

void say_of_launch(const std::string& sentence) {
  write_error(fmt::format("trireme launch: {}\n", sentence));
}

}  // namespace trireme::cli
