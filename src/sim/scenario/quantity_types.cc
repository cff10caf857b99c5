#include "sim/scenario/quantity_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "config/key_types.h"

namespace trireme::sim {
namespace {

using Wide = __int128;

template <typename Factor>
struct Unit {
  std::string_view name;
  Factor factor;
};

// The units that are printed, largest first; then those that are only read.
constexpr std::array kTimeUnits{
    Unit<Picoseconds>{"s", kSecond},
    Unit<Picoseconds>{"ms", kMillisecond},
    Unit<Picoseconds>{"us", kMicrosecond},
    Unit<Picoseconds>{"ns", kNanosecond},
    Unit<Picoseconds>{"ps", kPicosecond},
    Unit<Picoseconds>{"\u00b5s", kMicrosecond},
    Unit<Picoseconds>{"\u03bcs", kMicrosecond},  // the Greek letter, which looks the same
    Unit<Picoseconds>{"min", 60 * kSecond},
    Unit<Picoseconds>{"h", 3600 * kSecond}};
constexpr std::size_t kPrintedTimeUnits = 5;
constexpr std::string_view kTimeExamples = "write it like \"25 us\", \"1.5 s\" or \"2 min\"";
constexpr std::string_view kTimeUnitNames = "the units are ps, ns, us, ms, s, min and h";

constexpr std::array kRateUnits{
    Unit<double>{"TB/s", 1e12},      Unit<double>{"GB/s", 1e9},       Unit<double>{"MB/s", 1e6},
    Unit<double>{"kB/s", 1e3},       Unit<double>{"B/s", 1},          Unit<double>{"KiB/s", 0x1p10},
    Unit<double>{"MiB/s", 0x1p20},   Unit<double>{"GiB/s", 0x1p30},   Unit<double>{"TiB/s", 0x1p40},
    Unit<double>{"bit/s", 1.0 / 8},  Unit<double>{"kbit/s", 1e3 / 8}, Unit<double>{"Mbit/s", 1e6 / 8},
    Unit<double>{"Gbit/s", 1e9 / 8}, Unit<double>{"Tbit/s", 1e12 / 8}};
constexpr std::size_t kPrintedRateUnits = 5;
constexpr std::string_view kRateExamples = "write bits like \"10 Gbit/s\" or bytes like \"1.25 GB/s\"";

// With more digits the exact product with a unit would not fit in 127 bits.
constexpr std::size_t kMostDigits = 18;

template <typename Factor, std::size_t n>
std::optional<Factor> find_unit(const std::array<Unit<Factor>, n>& units, std::string_view name) {
  for (const Unit<Factor>& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

// A TOML number has no unit.
bool is_bare_number(const config::Setting& setting) {
  return std::holds_alternative<std::int64_t>(setting.value.is) ||
         std::holds_alternative<double>(setting.value.is);
}

[[noreturn]] void refuse_no_unit(const config::Setting& setting, std::string_view example,
                                 std::string_view hint) {
  throw bad_input(fmt::format("{} must have a unit, such as \"{}\"", config::subject(setting), example),
                  std::string(hint));
}

[[noreturn]] void refuse(const config::Setting& setting, std::string_view text, std::string_view is,
                         std::string_view hint) {
  throw bad_input(fmt::format("{}: '{}' {}", config::subject(setting), printable(text), is),
                  std::string(hint));
}

[[noreturn]] void refuse_unit(const config::Setting& setting, std::string_view unit, std::string_view hint) {
  throw bad_input(fmt::format("{}: there is no unit '{}'", config::subject(setting), printable(unit)),
                  std::string(hint));
}

[[noreturn]] void refuse_time_without_unit(const config::Setting& setting) {
  refuse_no_unit(setting, "25 us", kTimeUnitNames);
}

[[noreturn]] void refuse_rate_without_unit(const config::Setting& setting) {
  refuse_no_unit(setting, "10 Gbit/s", "bits are bit/s, Mbit/s, Gbit/s; bytes are B/s, MB/s, GB/s, GiB/s");
}

// "1.50" as its digits before and after the point, without leading and trailing zeros.
struct Decimal {
  std::string_view whole;
  std::string_view fraction;
};

std::optional<Decimal> split_decimal(std::string_view number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string_view whole = number.substr(0, point);
  std::string_view fraction = number.substr(std::min(point + 1, number.size()));
  if ((whole.empty() && fraction.empty()) || fraction.find('.') != std::string_view::npos)
    return std::nullopt;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  return Decimal{whole, fraction.substr(0, fraction.find_last_not_of('0') + 1)};
}

std::int64_t value_of(std::string_view digits) {
  std::int64_t value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

// Each part has at most kMostDigits.
Wide times(const Decimal& number, Picoseconds unit) {
  Wide scale = 1;
  for (std::size_t i = 0; i < number.fraction.size(); ++i) scale *= 10;
  const Wide of_fraction = (static_cast<Wide>(value_of(number.fraction)) * unit + scale / 2) / scale;
  return static_cast<Wide>(value_of(number.whole)) * unit + of_fraction;
}

// The number of leading characters that form a number: digits, a point, and an exponent.
std::size_t length_of_number(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    return std::min(text.find_first_not_of("0123456789", std::min(at, text.size())), text.size());
  };
  const std::size_t mantissa = std::min(text.find_first_not_of("0123456789."), text.size());
  if (mantissa == text.size() || (text[mantissa] != 'e' && text[mantissa] != 'E')) return mantissa;
  const std::size_t sign = text.substr(mantissa + 1).find_first_of("+-") == 0 ? 1 : 0;
  const std::size_t end = digits_from(mantissa + 1 + sign);
  return end > mantissa + 1 + sign ? end : mantissa;
}

Picoseconds parse_span(const config::Setting& setting, std::string_view text) {
  const std::string_view body = without_plus(trimmed(text));
  if (body.starts_with('-')) refuse(setting, text, "is negative", "give 0 s or more");
  const std::size_t length = length_of_number(body);
  const std::string written_out = without_exponent(body.substr(0, length));
  const std::optional<Decimal> number = split_decimal(written_out);
  if (!number) refuse(setting, text, "is not a time", kTimeExamples);
  const std::string_view unit_name = trimmed(body.substr(length));
  if (unit_name.empty()) refuse_time_without_unit(setting);
  const std::optional<Picoseconds> unit = find_unit(kTimeUnits, unit_name);
  if (!unit) refuse_unit(setting, unit_name, kTimeUnitNames);
  if (number->fraction.size() > kMostDigits)
    refuse(setting, text, "has more than 18 digits behind the point", "round it");
  const bool is_long = number->whole.size() > kMostDigits;
  if (is_long || times(*number, *unit) > std::numeric_limits<Picoseconds>::max())
    refuse(setting, text, "is too long", "give at most 2,562 h");
  return static_cast<Picoseconds>(times(*number, *unit));
}

double parse_rate(const config::Setting& setting, std::string_view text) {
  const std::string_view body = without_plus(trimmed(text));
  double number = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (error == std::errc::invalid_argument) refuse(setting, text, "is not a rate", kRateExamples);
  const std::string_view unit_name = trimmed(body.substr(static_cast<std::size_t>(end - body.data())));
  if (unit_name.empty()) refuse_rate_without_unit(setting);
  const std::optional<double> unit = find_unit(kRateUnits, unit_name);
  if (!unit) refuse_unit(setting, unit_name, kRateExamples);
  const double rate = number * *unit;
  // False for NaN; a number too small or too large for a double is out of range, too.
  if (error == std::errc() && rate > 0 && std::isfinite(rate)) return rate;
  refuse(setting, text, "is out of range", "give more than 0, like \"10 Gbit/s\" or \"1.25 GB/s\"");
}

// "1.5", exactly: the number of units and the digits after the point.
std::string in_units(Picoseconds value, Picoseconds unit) {
  std::string text = fmt::format("{}", value / unit);
  Picoseconds rest = value % unit;
  if (rest != 0) text += '.';
  for (; rest != 0; rest %= unit) {
    unit /= 10;
    text += fmt::format("{}", rest / unit);
  }
  return text;
}

}  // namespace

Picoseconds TimeSpan::read(const config::Setting& setting) const {
  if (is_bare_number(setting)) refuse_time_without_unit(setting);
  return parse_span(setting, config::text_of(setting, "a time with a unit", kTimeExamples));
}

std::string TimeSpan::print(Picoseconds value) const {
  if (value == 0) return config::toml_string("0 s");
  const auto unit = std::find_if(kTimeUnits.begin(), kTimeUnits.begin() + kPrintedTimeUnits,
                                 [&](const auto& one) { return one.factor <= value; });
  return config::toml_string(fmt::format("{} {}", in_units(value, unit->factor), unit->name));
}

double ByteRate::read(const config::Setting& setting) const {
  if (is_bare_number(setting)) refuse_rate_without_unit(setting);
  return parse_rate(setting, config::text_of(setting, "a rate with a unit", kRateExamples));
}

std::string ByteRate::print(double value) const {
  // The largest unit that reproduces every bit; B/s always does.
  const auto unit = std::find_if(
      kRateUnits.begin(), kRateUnits.begin() + kPrintedRateUnits - 1,
      [&](const auto& one) { return value >= one.factor && value / one.factor * one.factor == value; });
  return config::toml_string(fmt::format("{} {}", value / unit->factor, unit->name));
}

}  // namespace trireme::sim
