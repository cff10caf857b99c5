#include "train/output/run_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/system/blocked_signal.h"
#include "base/system/out_file.h"
#include "base/text.h"
#include "launch/logs.h"
#include "train/output/run_lock.h"

namespace trireme::train {
namespace {

constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kSummary = "summary.json";
constexpr const char* kConfig = "config.toml";

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

// Files of a training that has not ended well are written over, and nobody else's: such as the configuration
// that the user has written there.
void require_own_files(const std::filesystem::path& folder) {
  if (was_locked(folder)) return;
  for (const char* name : {kConfig, kMetrics}) {
    if (!is_there(folder / name)) continue;
    throw bad_input(fmt::format("{} has a {} that no training has written", printable(folder.string()), name),
                    take_another_folder(folder));
  }
}

}  // namespace

void prepare_run_folder(const std::filesystem::path& folder) {
  require_unfinished(folder);
  require_own_files(folder);
  launch::make_log_folder(folder);
}

Fd take_run_folder(const std::filesystem::path& folder, Rank rank) {
  prepare_run_folder(folder);
  if (rank != 0) return {};
  Fd lock = lock_run_folder(folder);
  require_unfinished(folder);  // whoever had it before may have ended well meanwhile
  return lock;
}

RunFolder::RunFolder(std::filesystem::path folder, const std::string& config)
    : folder_(std::move(folder)), metrics_(open_empty_file(folder_ / kMetrics)) {
  write_file(folder_ / kConfig, config);
}

void RunFolder::add_metrics(const report::Json& line) {
  const BlockedSignal limit(SIGXFSZ);  // the limit on the size of files is an error of `write` here
  if (write_all(metrics_.get(), line.dump() + '\n')) return;
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what =
      fmt::format("cannot write {}: {}", printable((folder_ / kMetrics).string()), std::strerror(errno));
  failure.hint = "make room there, or take a folder on another disk: --out";
  throw Error(failure);
}

void RunFolder::finish(const report::Json& summary) {
  write_file(folder_ / kSummary, report::document_text(summary));
}

}  // namespace trireme::train
