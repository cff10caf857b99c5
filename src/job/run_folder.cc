#include "job/run_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "launch/logs.h"

namespace trireme {
namespace {

constexpr const char* kSummary = "summary.json";

std::filesystem::path free_name(const std::filesystem::path& folder) {
  for (int number = 2;; ++number) {
    std::filesystem::path other = folder;
    other += fmt::format("-{}", number);
    if (!std::filesystem::exists(other)) return other;
  }
}

void require_written(const std::ostream& stream, const std::filesystem::path& file) {
  if (stream) return;
  throw std::runtime_error(
      fmt::format("cannot write {}: {}", printable(file.string()), std::strerror(errno)));
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  require_written(stream, file);
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
    : folder_(std::move(folder)), metrics_(folder_ / "metrics.jsonl", std::ios::trunc) {
  write_file(folder_ / "config.toml", config);
}

void RunFolder::add_metrics(const Json& line) {
  metrics_ << line.dump() << '\n' << std::flush;
  require_written(metrics_, folder_ / "metrics.jsonl");
}

void RunFolder::finish(const Json& summary) {
  const std::filesystem::path unfinished = folder_ / "summary.json.part";
  write_file(unfinished, document_text(summary));
  std::filesystem::rename(unfinished, folder_ / kSummary);
}

}  // namespace trireme
