#include "base/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace trireme {
namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};

constexpr std::array kUnits{Unit{"", 1e9}, Unit{"ms", 1e6}, Unit{"s", 1e9}, Unit{"min", 6e10},
                            Unit{"h", 3.6e12}};
constexpr std::string_view kExamples = "like 60s, 1.5s, 500ms, 2min or 1h";

std::optional<double> nanoseconds_of_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.nanoseconds;
  }
  return std::nullopt;
}

// "1.500" → "1.5", "60.000" → "60".
std::string without_end_zeros(std::string decimal) {
  decimal.erase(decimal.find_last_not_of('0') + 1);
  if (decimal.ends_with('.')) decimal.pop_back();
  return decimal;
}

std::string short_number(double number) { return without_end_zeros(fmt::format("{:.3f}", number)); }

}  // namespace

std::chrono::nanoseconds parse_duration(std::string_view text, std::string_view flag) {
  const std::string_view body_and_unit = trimmed(text);
  const bool negative = body_and_unit.starts_with('-');
  const std::string_view body = negative ? body_and_unit.substr(1) : without_plus(body_and_unit);
  const std::size_t length = std::min(body.find_first_not_of("0123456789."), body.size());
  double number = 0;
  const auto [end, error] =
      std::from_chars(body.data(), body.data() + length, number, std::chars_format::fixed);
  const std::optional<double> unit = nanoseconds_of_unit(trimmed(body.substr(length)));
  if (error == std::errc::invalid_argument || end != body.data() + length || !unit) {
    throw bad_input(fmt::format("{}: '{}' is not a time", flag, printable(text)),
                    fmt::format("give one {}", kExamples));
  }
  const double nanoseconds = std::round(number * *unit);
  if (negative || nanoseconds < 1) {
    throw bad_input(fmt::format("{}: {} is too short", flag, printable(text)),
                    fmt::format("give more than 0, {}", kExamples));
  }
  // 2^63 ns are 292 years.
  if (error == std::errc::result_out_of_range || nanoseconds >= 0x1p63) {
    throw bad_input(fmt::format("{}: {} is too long", flag, printable(text)), "give at most 2,500,000h");
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

std::string in_words(std::chrono::nanoseconds duration) {
  const auto count = static_cast<double>(duration.count());
  const double size = std::abs(count);
  if (size < 1e3) return fmt::format("{} ns", duration.count());
  if (size < 1e6) return short_number(count / 1e3) + " µs";
  if (size < 1e9) return short_number(count / 1e6) + " ms";
  return short_number(count / 1e9) + " s";
}

std::string in_seconds(std::chrono::nanoseconds duration) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t count = duration.count();
  return without_end_zeros(
      fmt::format("{}{}.{:09}", count < 0 ? "-" : "", std::abs(count / kSecond), std::abs(count % kSecond)));
}

}  // namespace trireme
