#include "train/output/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/blocked_signal.h"
#include "base/system/out_file.h"
#include "base/text.h"
#include "checkpoint/saved.h"
#include "launch/logs.h"
#include "train/output/run_lock.h"

namespace trireme::train {
namespace {

constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kSummary = "summary.json";
constexpr const char* kConfig = "config.toml";
constexpr const char* kSchedule = "schedule.jsonl";

// A link that leads nowhere is there, too.
bool is_there(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::exists(std::filesystem::symlink_status(file, none));
}

void require_unfinished(const std::filesystem::path& folder) {
  if (!is_there(folder / kSummary)) return;
  throw bad_input(fmt::format("{} holds a training already", printable(folder.string())),
                  take_another_folder(folder));
}

// They are worth more than the time that somebody saves by typing the same name again.
void require_no_checkpoints(const std::filesystem::path& folder) {
  const std::vector<checkpoint::Listed> list = checkpoint::list_checkpoints(folder);
  const auto complete = std::ranges::find_if(list, &checkpoint::Listed::is_complete);
  if (complete == list.end()) return;
  const std::string name = printable(folder.string());
  throw bad_input(fmt::format("{} holds checkpoints of a training, the newest of step {}", name,
                              with_commas(complete->step)),
                  fmt::format("go on with it: --resume {}; or {}", name, take_another_folder(folder)));
}

// Files of a training that has not ended well are written over, and nobody else's: such as the configuration
// that the user has written there.
void require_own_files(const std::filesystem::path& folder) {
  if (was_locked(folder)) return;
  for (const char* name : {kConfig, kMetrics, kSchedule}) {
    if (!is_there(folder / name)) continue;
    throw bad_input(fmt::format("{} has a {} that no training has written", printable(folder.string()), name),
                    take_another_folder(folder));
  }
}

// The lines of earlier metrics up to this step. One that is cut off, and what follows it, is lost.
std::string metrics_until(const std::filesystem::path& file, std::int64_t step) {
  std::ifstream in(file);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    const report::Json json = report::Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) break;
    if (json["step"].get<std::int64_t>() <= step) kept += line + '\n';
  }
  return kept;
}

// The lines of an earlier schedule about gradients with a lower number, if it begins with this line. Else
// they were applied in another way.
std::string writes_before(const std::filesystem::path& file, const std::string& first_line,
                          std::int64_t gradient) {
  std::ifstream in(file);
  std::string kept;
  std::string line;
  if (!std::getline(in, line) || line + '\n' != first_line) return kept;
  while (std::getline(in, line)) {
    const report::Json json = report::Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("gradient") || !json["gradient"].is_number_integer()) continue;
    if (json["gradient"].get<std::int64_t>() < gradient) kept += line + '\n';
  }
  return kept;
}

Fd open_metrics(const std::filesystem::path& file, std::optional<std::int64_t> step) {
  if (!step) return open_empty_file(file);
  write_file(file, metrics_until(file, *step));
  return open_own_file(file);
}

}  // namespace

RunStart run_start(const TrainJob& job) {
  return step_to_go_on_from(job) ? RunStart::kGoesOn : RunStart::kAnew;
}

void prepare_run_folder(const std::filesystem::path& folder, RunStart start) {
  if (start == RunStart::kAnew) {
    require_unfinished(folder);
    require_no_checkpoints(folder);
    require_own_files(folder);
  }
  launch::make_log_folder(folder);
}

Fd take_run_folder(const std::filesystem::path& folder, Rank rank, RunStart start) {
  prepare_run_folder(folder, start);
  if (rank != 0) return {};
  Fd lock = lock_run_folder(folder);
  if (start == RunStart::kAnew)
    require_unfinished(folder);  // whoever had it before may have ended well meanwhile
  return lock;
}

RunFolder::RunFolder(std::filesystem::path folder, const std::string& config,
                     std::optional<std::int64_t> step)
    : folder_(std::move(folder)), step_(step), metrics_(open_metrics(folder_ / kMetrics, step)) {
  write_file(folder_ / kConfig, config);
  if (step) std::filesystem::remove(folder_ / kSummary);
}

void RunFolder::add_metrics(const report::Json& line) { append(metrics_, kMetrics, line.dump() + '\n'); }

void RunFolder::add_schedule(const std::string& first_line, const std::string& writes, std::int64_t workers) {
  if (!schedule_) {
    const std::filesystem::path file = folder_ / kSchedule;
    write_file(file, first_line + (step_ ? writes_before(file, first_line, *step_ * workers) : ""));
    schedule_ = open_own_file(file);
  }
  append(schedule_, kSchedule, writes);
}

void RunFolder::append(const Fd& file, const char* name, const std::string& lines) {
  const BlockedSignal limit(SIGXFSZ);  // the limit on the size of files is an error of `write` here
  if (write_all(file.get(), lines)) return;
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what =
      fmt::format("cannot write {}: {}", printable((folder_ / name).string()), std::strerror(errno));
  failure.hint = "make room there, or take a folder on another disk: --out";
  throw Error(failure);
}

void RunFolder::finish(const report::Json& summary) {
  write_file(folder_ / kSummary, report::document_text(summary));
}

}  // namespace trireme::train
