#include "sim/scenario/effect.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "sim/scenario/scenario_keys.h"

namespace trireme::sim {
namespace {

// "25 us" → "50 us" for factor 2; empty for words, lists and empty values.
std::optional<std::string> multiplied(std::string_view value, double factor) {
  const bool quoted = value.starts_with('"');
  if (quoted) value = value.substr(1, value.size() - 2);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  return fmt::format("{}{}", factor * number, unit);
}

}  // namespace

std::vector<std::string> keys_without_effect(const LoadedScenario& loaded,
                                             const std::function<std::string(const Scenario&)>& outcome) {
  const std::string as_it_is = outcome(loaded.scenario);
  std::vector<std::string> idle;
  for (const config::KeyLine& line : scenario_keys().lines(loaded.scenario, loaded.sources)) {
    if (line.origin == config::kDefault || !line.used) continue;
    const auto same_with = [&](double factor) -> std::optional<bool> {
      const std::optional<std::string> other = multiplied(line.value, factor);
      if (!other) return std::nullopt;
      const config::Setting setting =
          config::read_typed(std::string(line.name), *other, std::string(config::kSet));
      try {
        return outcome(with_setting(loaded, setting)) == as_it_is;
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    const std::optional<bool> doubled = same_with(2);
    if (doubled == true && same_with(0.5).value_or(true)) idle.emplace_back(line.name);
  }
  return idle;
}

}  // namespace trireme::sim
