#include "job/run_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/out_file.h"
#include "base/text.h"
#include "launch/logs.h"

namespace trireme {
namespace {

constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kSummary = "summary.json";

std::filesystem::path free_name(const std::filesystem::path& folder) {
  for (int number = 2;; ++number) {
    std::filesystem::path other = folder;
    other += fmt::format("-{}", number);
    if (!std::filesystem::exists(other)) return other;
  }
}

}  // namespace

void prepare_run_folder(const std::filesystem::path& folder) {
  std::error_code none;
  if (std::filesystem::exists(folder / kSummary, none)) {
    throw bad_input(fmt::format("{} holds a training already", printable(folder.string())),
                    fmt::format("take another folder, such as {}", printable(free_name(folder).string())));
  }
  make_log_folder(folder);
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
