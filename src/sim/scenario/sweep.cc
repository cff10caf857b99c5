#include "sim/scenario/sweep.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "sim/scenario/scenario_keys.h"

namespace trireme::sim {
namespace {

constexpr double kMostNumbers = 4096;  // that are tried one by one
constexpr int kSteps = 60;             // of a longer range, or of a range with units

constexpr const char* kExamples = "write it like workers=1..1024 or network.latency=1us..1ms";

[[noreturn]] void refuse(const std::string& text, std::string_view why, const std::string& hint = kExamples) {
  throw bad_input(fmt::format("--sweep {}: {}", printable(text), why), hint);
}

// A number and its unit.
struct Quantity {
  double number = 0;
  std::string unit;
};

// Digits may be grouped as in TOML: 1_000_000.
std::optional<Quantity> read_quantity(std::string_view written) {
  std::string text(written);
  std::erase(text, '_');
  Quantity quantity;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc() || !std::isfinite(quantity.number)) return std::nullopt;
  const std::size_t unit = text.find_first_not_of(' ', static_cast<std::size_t>(end - text.data()));
  if (unit != std::string::npos) quantity.unit = text.substr(unit);
  return quantity;
}

std::vector<std::string> whole_numbers(std::int64_t from, std::int64_t to) {
  std::vector<std::string> values;
  for (std::int64_t value = from; value <= to; ++value) values.push_back(std::to_string(value));
  return values;
}

// From 1,000 to 1,000,000: by equal factors.
std::vector<std::string> some_whole_numbers(double from, double to) {
  std::vector<std::string> values;
  std::int64_t last = -1;
  for (int step = 0; step < kSteps; ++step) {
    const double exact = from * std::pow(to / from, static_cast<double>(step) / (kSteps - 1));
    const std::int64_t value = std::llround(exact);
    if (value != last) values.push_back(std::to_string(value));
    last = value;
  }
  return values;
}

// From 1 us to 1 ms: in the unit of the first, to which the second is converted.
std::vector<std::string> quantities(const Quantity& from, const Quantity& to) {
  std::vector<std::string> values;
  for (int step = 0; step < kSteps; ++step) {
    const double part = static_cast<double>(step) / (kSteps - 1);
    const double exact = from.number * std::pow(to.number / from.number, part);
    values.push_back(
        fmt::format("{} {}", std::strtod(fmt::format("{:.4g}", exact).c_str(), nullptr), from.unit));
  }
  return values;
}

// 1,000 for each step between two units that differ only by their prefix: "us" and "ms", "MB/s" and "GB/s".
std::optional<double> ratio_of_units(std::string_view from, std::string_view to) {
  static constexpr std::pair<std::string_view, int> kPrefixes[] = {
      {"p", -4}, {"n", -3}, {"u", -2}, {"µ", -2}, {"m", -1}, {"", 0}, {"k", 1}, {"M", 2}, {"G", 3}, {"T", 4}};
  for (const auto& [prefix_of_from, power_of_from] : kPrefixes) {
    for (const auto& [prefix_of_to, power_of_to] : kPrefixes) {
      if (!from.starts_with(prefix_of_from) || !to.starts_with(prefix_of_to)) continue;
      const std::string_view rest = from.substr(prefix_of_from.size());
      if (rest.empty() || rest != to.substr(prefix_of_to.size())) continue;
      return std::pow(1000.0, power_of_to - power_of_from);
    }
  }
  return std::nullopt;
}

std::vector<std::string> range(const std::string& text, std::string_view from, std::string_view to) {
  const std::optional<Quantity> first = read_quantity(from);
  std::optional<Quantity> last = read_quantity(to);
  if (!first || !last) refuse(text, "a range is from one number to another");
  if (first->unit.empty() && last->unit.empty()) {
    const bool whole = first->number == std::floor(first->number) && last->number == std::floor(last->number);
    if (whole && last->number > 1e15) refuse(text, "the range goes too far");
    if (whole && first->number > last->number) refuse(text, "the range is empty");
    if (whole && last->number - first->number < kMostNumbers) {
      return whole_numbers(static_cast<std::int64_t>(first->number), static_cast<std::int64_t>(last->number));
    }
    if (whole && first->number >= 1) return some_whole_numbers(first->number, last->number);
  }
  const std::optional<double> ratio = ratio_of_units(first->unit, last->unit);
  if (first->unit != last->unit && !ratio) refuse(text, "both ends must have units of one kind");
  last->number *= ratio.value_or(1);
  if (first->number <= 0 || last->number <= first->number) {
    refuse(text, "a range of quantities goes from more than nothing upwards");
  }
  return quantities(*first, *last);
}

std::string_view without_section(std::string_view name) { return name.substr(name.find('.') + 1); }

[[noreturn]] void refuse_key(const std::string& text, const std::string& key) {
  std::vector<std::string_view> known;
  for (const std::string_view name : scenario_keys().names()) known.push_back(without_section(name));
  const std::string_view best = nearest(key, known);
  refuse(text, fmt::format("there is no key {}", printable(key)),
         best.empty() ? kExamples : fmt::format("did you mean {}?", best));
}

// "latency" → "network.latency".
std::string whole_key(const std::string& text, const std::string& key) {
  if (key.find('.') != std::string::npos) return key;
  std::vector<std::string> found;
  for (const config::KeyLine& line : scenario_keys().lines({}, {})) {
    if (line.name == "job." + key) return "job." + key;
    if (without_section(line.name) == key) found.emplace_back(line.name);
  }
  if (found.empty()) refuse_key(text, key);
  if (found.size() > 1) refuse(text, fmt::format("{} or {}?", found[0], found[1]));
  return found[0];
}

}  // namespace

Sweep parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(text, "there is no key before a '='");
  Sweep sweep;
  sweep.key = whole_key(text, text.substr(0, equals));
  const std::string_view values = std::string_view(text).substr(equals + 1);
  if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
    const std::optional<Quantity> first = read_quantity(values.substr(0, dots));
    if (sweep.key == "job.workers" && first && first->number < 1)
      refuse(text, "there is at least one worker");
    sweep.values = range(text, values.substr(0, dots), values.substr(dots + 2));
    sweep.is_range = true;
    return sweep;
  }
  for (const std::string_view value : split(values, ',')) {
    if (value.empty()) refuse(text, "a value is empty");
    sweep.values.emplace_back(value);
  }
  return sweep;
}

}  // namespace trireme::sim
