#include "job/run_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/out_file.h"
#include "base/text.h"
#include "job/run_lock.h"
#include "launch/logs.h"

namespace trireme {
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
  make_log_folder(folder);
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

void RunFolder::add_metrics(const Json& line) {
  if (write_all(metrics_.get(), line.dump() + '\n')) return;
  throw std::runtime_error(
      fmt::format("cannot write {}: {}", printable((folder_ / kMetrics).string()), std::strerror(errno)));
}

void RunFolder::finish(const Json& summary) { write_file(folder_ / kSummary, document_text(summary)); }

}  // namespace trireme
