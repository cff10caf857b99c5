#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace trireme {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

// 25,000,000 → 25000000. A number not grouped by three with one separator is returned unchanged.
std::string without_groups(std::string_view number) {
  const std::string_view unsigned_part = number.substr(number.starts_with('-') ? 1 : 0);
  const std::size_t first = unsigned_part.find_first_of(",_");
  std::string digits(number);
  if (first == std::string_view::npos || first == 0 || first > 3) return digits;
  for (std::size_t i = 0; i < unsigned_part.size(); ++i) {
    const bool is_separator = i >= first && (i - first) % 4 == 0;
    if (is_separator ? unsigned_part[i] != unsigned_part[first] : !is_digit(unsigned_part[i])) return digits;
  }
  if ((unsigned_part.size() - first) % 4 != 0) return digits;
  std::erase(digits, unsigned_part[first]);
  return digits;
}

// "25M", "1.5k"
bool is_abbreviated(std::string_view number) {
  const std::size_t end = number.find_first_not_of("0123456789.");
  if (end == 0 || end == std::string_view::npos || end + 1 != number.size()) return false;
  return std::string_view("kKmMgGbBtT").find(number[end]) != std::string_view::npos;
}

// The number of bytes of the first character of the text; 0 if it is not UTF-8 or is a control character.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 0 : 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kFirstOfLength{0, 0, 0xa0, 0x800, 0x10000};  // 0x80–0x9f: controls
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kFirstOfLength[length] || is_surrogate || code > 0x10ffff ? 0 : length;
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

std::string bytes_in_words(std::int64_t bytes) { return bytes_in_words(bytes, bytes); }

std::string bytes_in_words(std::int64_t bytes, std::int64_t largest) {
  constexpr std::array<std::string_view, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (largest < 1000) return counted(bytes, "byte");
  double size = 1000;
  std::size_t unit = 0;
  for (; static_cast<double>(largest) / size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size *= 1000;
  return without_exponent(fmt::format("{:.3g}", static_cast<double>(bytes) / size)) + " " +
         std::string(kUnits[unit]);
}

std::string_view without_plus(std::string_view number) {
  return number.starts_with('+') && !number.starts_with("+-") ? number.substr(1) : number;
}

std::string without_exponent(std::string_view number) {
  constexpr int kFarthest = 40;  // a number with so many zeros is out of any range
  const std::size_t letter = number.find_first_of("eE");
  if (letter == std::string_view::npos || letter == 0 || !is_digit(number[letter - 1]))
    return std::string(number);
  const std::string_view mantissa = number.substr(0, letter);
  const std::string_view power = without_plus(number.substr(letter + 1));
  const std::size_t sign = mantissa.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string whole(mantissa.substr(sign, point - std::min(sign, point)));
  std::string fraction(mantissa.substr(std::min(point + 1, mantissa.size())));
  int exponent = 0;
  const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
  const bool is_power = error != std::errc::invalid_argument && end == power.data() + power.size();
  if (!is_power || !std::all_of(whole.begin(), whole.end(), is_digit) ||
      !std::all_of(fraction.begin(), fraction.end(), is_digit)) {
    return std::string(number);
  }
  if (error == std::errc::result_out_of_range) exponent = power.starts_with('-') ? -kFarthest : kFarthest;
  exponent = std::clamp(exponent, -kFarthest, kFarthest);
  const std::string zeros(static_cast<std::size_t>(std::abs(exponent)), '0');
  if (exponent >= 0) {
    fraction += zeros;
    whole += fraction.substr(0, zeros.size());
    fraction.erase(0, zeros.size());
  } else {
    whole = zeros + whole;
    fraction = whole.substr(whole.size() - zeros.size()) + fraction;
    whole.resize(whole.size() - zeros.size());
  }
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return std::string(mantissa.substr(0, sign)) + (whole.empty() ? "0" : whole) +
         (fraction.empty() ? "" : "." + fraction);
}

std::int64_t parse_integer(std::string_view text, std::string_view flag, std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  const std::string digits = without_exponent(without_groups(without_plus(text)));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = error != std::errc::invalid_argument && end == digits.data() + digits.size();
  if (!is_whole || digits.empty()) {
    throw bad_input(fmt::format("{}: '{}' is not a whole number", flag, text),
                    is_abbreviated(digits)
                        ? "write it out, like 25000000"
                        : fmt::format("give one from {} to {}", with_commas(min), with_commas(max)));
  }
  if (error == std::errc::result_out_of_range || value < min || value > max) {
    throw bad_input(fmt::format("{}: {} is out of range", flag, text),
                    fmt::format("give a number from {} to {}", with_commas(min), with_commas(max)));
  }
  return value;
}

std::optional<double> finite_number(std::string_view text) {
  const std::string_view digits = without_plus(text);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(number)) return {};
  return number;
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view best;
  const std::string small = in_small_letters(typed);
  std::size_t best_distance = typed.size() / 3 + 2;  // farther than that is no typing mistake
  for (const std::string_view word : known) {
    // An abbreviation counts as near to the word that it begins.
    const std::size_t distance =
        small.size() >= 2 && word.starts_with(small) ? 1 : edit_distance(small, in_small_letters(word));
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    shown += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::size_t width(std::string_view text) {
  return idx(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace trireme
