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

void require_unfinished(const std::filesystem::path& folder) {
  std::error_code none;
  const auto status =
      std::filesystem::symlink_status(folder / kSummary, none);  // a link that leads nowhere, too
  if (!std::filesystem::exists(status)) return;
  throw bad_input(fmt::format("{} holds a training already", printable(folder.string())),
                  take_another_folder(folder));
}

}  // namespace

void prepare_run_folder(const std::filesystem::path& folder) {
  require_unfinished(folder);
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
  write_file(folder_ / "config.toml", config);
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
