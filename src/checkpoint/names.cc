#include "checkpoint/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text.h"

namespace trireme::checkpoint {
namespace {

constexpr std::string_view kStep = "step-";
constexpr std::size_t kMostName = 100;
constexpr std::size_t kMostOwnName = 64;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

bool is_plain(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_plain(c); });
}

}  // namespace

std::string rule_file(std::int64_t holder) { return fmt::format("rule-{}.safetensors", holder); }

std::string random_file(std::int64_t rank) { return fmt::format("random-{}.safetensors", rank); }

std::string server_file(std::int64_t server) { return fmt::format("server-{}.safetensors", server); }

std::string own_file(std::string_view name) {
  if (is_plain(name, kMostOwnName)) return fmt::format("own-{}.safetensors", name);
  throw bad_input(fmt::format("'{}' cannot be part of a file's name", printable(name)),
                  fmt::format("take 1 to {} letters, digits, '-', '_' and '.'", kMostOwnName));
}

bool is_file_name(std::string_view name) {
  return is_plain(name, kMostName) && name.front() != '.' && name != kDoneFile;
}

std::string step_name(std::int64_t step) { return fmt::format("{}{}", kStep, step); }

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kStep)) return std::nullopt;
  std::int64_t step = -1;
  const std::string_view digits = name.substr(kStep.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (step < 0 || step_name(step) != name) return std::nullopt;
  return step;
}

std::filesystem::path step_folder(const std::filesystem::path& run, std::int64_t step) {
  return run / kFolder / step_name(step);
}

std::filesystem::path saving_folder(const std::filesystem::path& run, std::int64_t step) {
  return run / kFolder / fmt::format(".{}{}", step_name(step), kSavingEnd);
}

bool is_saving_name(std::string_view name) {
  return name.starts_with(fmt::format(".{}", kStep)) && name.ends_with(kSavingEnd);
}

}  // namespace trireme::checkpoint
