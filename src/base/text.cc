#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "base/error.h"

namespace trireme {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string with_commas(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::ptrdiff_t sign = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > sign; at -= 3)
    digits.insert(idx(at), ",");
  return digits;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(number), noun, number == 1 ? "" : "s");
}

std::string bytes_in_words(std::int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return counted(bytes, "byte");
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string_view without_plus(std::string_view number) {
  return number.starts_with('+') && !number.starts_with("+-") ? number.substr(1) : number;
}

std::int64_t parse_integer(std::string_view text, std::string_view flag, std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  const std::string_view digits = without_plus(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = error != std::errc::invalid_argument && end == digits.data() + digits.size();
  if (!is_whole || digits.empty()) {
    throw bad_input(fmt::format("{}: '{}' is not a whole number", flag, text),
                    fmt::format("give one from {} to {}", with_commas(min), with_commas(max)));
  }
  if (error == std::errc::result_out_of_range || value < min || value > max) {
    throw bad_input(fmt::format("{}: {} is out of range", flag, text),
                    fmt::format("give a number from {} to {}", with_commas(min), with_commas(max)));
  }
  return value;
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = typed.size() / 3 + 2;  // farther than that is no slip of the finger
  for (const std::string_view word : known) {
    // What is typed short is near to what it begins.
    const std::size_t distance =
        typed.size() >= 2 && word.starts_with(typed) ? 1 : edit_distance(typed, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::size_t width(std::string_view text) {
  return idx(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace trireme
