#include "checkpoint/rule_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::checkpoint {
namespace {

constexpr const char* kNoRuleState = "take another checkpoint";

std::string part_name(const std::string& before, const RuleStatePart& part) {
  return fmt::format("{}[{}:{}]", before, part.first, part.first + part.count);
}

// The whole number at the beginning of the text, which is removed from it; none is below 0.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

struct NamedRange {
  std::string_view name;
  std::int64_t first = 0;
  std::int64_t end = 0;
};

// "name[3:17]"
std::optional<NamedRange> named_range(std::string_view text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(open + 1);
  const std::optional<std::int64_t> first = take_number(rest);
  if (!first || !rest.starts_with(':')) return std::nullopt;
  rest.remove_prefix(1);
  const std::optional<std::int64_t> end = take_number(rest);
  if (!end || *first >= *end || text.substr(open) != fmt::format("[{}:{}]", *first, *end))
    return std::nullopt;
  return NamedRange{text.substr(0, open), *first, *end};
}

[[noreturn]] void refuse(const SafetensorsFile& file, const std::string& what) {
  throw bad_input(fmt::format("{}: {}", printable(file.path().string()), what), kNoRuleState);
}

// Calls `take(part, begin, end)` for each part that has elements in [first, end).
template <typename Parts, typename Take>
void for_each_inside(const Parts& parts, std::int64_t first, std::int64_t end, const Take& take) {
  auto at =
      std::partition_point(parts.begin(), parts.end(), [&](const auto& part) { return part.end <= first; });
  for (; at != parts.end() && at->first < end; ++at)
    take(*at, std::max(first, at->first), std::min(end, at->end));
}

}  // namespace

RuleStateTensors rule_state_tensors(std::span<const RuleStatePart> parts) {
  RuleStateTensors result;
  for (const RuleStatePart& part : parts) {
    result.metadata[part_name(part.parameter, part)] = fmt::format("{}", part.steps);
    for (const RuleStateValues& state : part.states) {
      TensorView tensor;
      tensor.info.name = part_name(part.parameter + "/" + state.state, part);
      tensor.info.shape = {static_cast<std::uint64_t>(part.count)};
      tensor.bytes = std::as_bytes(state.values);
      result.tensors.push_back(std::move(tensor));
    }
  }
  return result;
}

RuleStateReader::RuleStateReader(std::vector<SafetensorsFile> files) {
  for (SafetensorsFile& file : files) files_.push_back(std::make_unique<SafetensorsFile>(std::move(file)));
  for (const auto& file : files_) {
    for (const auto& [key, value] : file->metadata()) add_steps(*file, key, value);
    for (const StoredTensor& tensor : file->tensors()) add_state(*file, tensor);
  }
  for (auto& [parameter, parts] : steps_) sort_disjoint(parameter, parts);
  for (auto& [parameter, states] : states_) {
    for (auto& [state, parts] : states) sort_disjoint(parameter, parts);
  }
}

void RuleStateReader::add_steps(const SafetensorsFile& file, const std::string& key, std::string_view value) {
  const std::optional<NamedRange> range = named_range(key);
  if (!range) refuse(file, fmt::format("'{}' names no elements of a parameter", printable(key)));
  std::string_view rest = value;
  const std::optional<std::int64_t> steps = take_number(rest);
  if (!steps || !rest.empty()) refuse(file, fmt::format("'{}' has no number of steps", printable(key)));
  steps_[std::string(range->name)].push_back({range->first, range->end, *steps, &file, nullptr});
}

void RuleStateReader::add_state(const SafetensorsFile& file, const StoredTensor& tensor) {
  const std::string& name = tensor.info.name;
  const std::optional<NamedRange> range = named_range(name);
  const std::size_t slash = range ? range->name.rfind('/') : std::string_view::npos;
  if (slash == std::string_view::npos) {
    refuse(file, fmt::format("'{}' names no elements of a parameter's state", printable(name)));
  }
  const std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(range->end - range->first)};
  if (tensor.info.type != TensorType::kF32 || tensor.info.shape != shape) {
    refuse(file, fmt::format("'{}' is not F32 of as many elements as it names", printable(name)));
  }
  const std::string_view parameter = range->name.substr(0, slash);
  if (!file.metadata().contains(fmt::format("{}[{}:{}]", parameter, range->first, range->end))) {
    refuse(file, fmt::format("'{}' has no number of steps", printable(name)));
  }
  states_[std::string(parameter)][std::string(range->name.substr(slash + 1))].push_back(
      {range->first, range->end, 0, &file, &tensor});
}

void RuleStateReader::sort_disjoint(const std::string& parameter, Parts& parts) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].first >= parts[i - 1].end) continue;
    refuse(*parts[i].file,
           fmt::format("element {} of '{}' is in {}, too", parts[i].first, printable(parameter),
                       printable(parts[i - 1].file->path().filename().string())));
  }
}

std::vector<std::string> RuleStateReader::parameters() const {
  std::vector<std::string> names;
  names.reserve(steps_.size());
  for (const auto& [parameter, parts] : steps_) names.push_back(parameter);
  return names;
}

std::vector<std::string> RuleStateReader::states(std::string_view parameter) const {
  std::vector<std::string> names;
  const auto at = states_.find(parameter);
  if (at == states_.end()) return names;
  for (const auto& [state, parts] : at->second) names.push_back(state);
  return names;
}

std::int64_t RuleStateReader::steps(std::string_view parameter, std::int64_t first,
                                    std::int64_t count) const {
  std::int64_t most = 0;
  const auto at = steps_.find(parameter);
  if (at == steps_.end()) return 0;
  for_each_inside(at->second, first, first + count,
                  [&](const Part& part, std::int64_t, std::int64_t) { most = std::max(most, part.steps); });
  return most;
}

std::int64_t RuleStateReader::read(std::string_view parameter, std::string_view state, std::int64_t first,
                                   std::span<float> values) const {
  const auto states = states_.find(parameter);
  if (states == states_.end()) return 0;
  const auto parts = states->second.find(state);
  if (parts == states->second.end()) return 0;
  std::int64_t filled = 0;
  for_each_inside(parts->second, first, first + std::ssize(values),
                  [&](const Part& part, std::int64_t begin, std::int64_t end) {
                    const std::span<float> into = values.subspan(idx(begin - first), idx(end - begin));
                    part.file->read(*part.tensor, sizeof(float) * idx(begin - part.first),
                                    std::as_writable_bytes(into));
                    filled += end - begin;
                  });
  return filled;
}

}  // namespace trireme::checkpoint
