#include "base/byte_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace trireme {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 9> kByteUnits{{{"B", 1},
                                                                         {"kB", 1e3},
                                                                         {"MB", 1e6},
                                                                         {"GB", 1e9},
                                                                         {"TB", 1e12},
                                                                         {"KiB", 0x1p10},
                                                                         {"MiB", 0x1p20},
                                                                         {"GiB", 0x1p30},
                                                                         {"TiB", 0x1p40}}};

bool is_digit_or_point(char c) { return (c >= '0' && c <= '9') || c == '.'; }

}  // namespace

std::int64_t parse_bytes(std::string_view text, std::string_view flag, std::int64_t min, std::int64_t max) {
  const std::string_view body = trimmed(text);
  const std::size_t length = body.find_last_of("0123456789.") + 1;  // 0 where there is none
  const std::string_view digits = without_plus(trimmed(body.substr(0, length)));
  const std::string_view unit_name = trimmed(body.substr(length));
  if (length > 0 && unit_name.empty()) return parse_integer(body, flag, min, max);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit_or_point) ||
      error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    throw bad_input(fmt::format("{}: '{}' is not a number of bytes", flag, printable(text)),
                    "write it like 65536, 64 KiB or 1.5 MB");
  }
  const auto* const unit = std::find_if(kByteUnits.begin(), kByteUnits.end(),
                                        [&](const auto& one) { return one.first == unit_name; });
  if (unit == kByteUnits.end()) {
    throw bad_input(fmt::format("{}: there is no unit '{}'", flag, printable(unit_name)),
                    "the units are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB");
  }
  const double bytes = number * unit->second;
  if (error == std::errc::result_out_of_range || bytes < static_cast<double>(min) ||
      bytes > static_cast<double>(max)) {
    throw bad_input(fmt::format("{}: {} is out of range", flag, printable(text)),
                    fmt::format("give {} to {} bytes", with_commas(min), with_commas(max)));
  }
  // 8.2 is no binary fraction, and yet 8.2 MB are whole bytes.
  if (const double whole = std::round(bytes); std::abs(bytes - whole) < 1e-3)
    return static_cast<std::int64_t>(whole);
  throw bad_input(fmt::format("{}: {} is not a whole number of bytes", flag, printable(text)), "round it");
}

}  // namespace trireme
