#include "config/key_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/byte_size.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"

namespace trireme::config {
namespace {

[[noreturn]] void refuse_kind(const Setting& setting, const TomlValue& value, std::string_view must_be,
                              std::string_view hint) {
  throw bad_input(fmt::format("{} is {}, and must be {}", subject(setting), kind_in_words(value), must_be),
                  std::string(hint));
}

template <typename Shown>
[[noreturn]] void refuse_range(const Setting& setting, const Shown& value, const std::string& hint) {
  throw bad_input(fmt::format("{}: {} is out of range", subject(setting), value), hint);
}

std::int64_t in_range(const Setting& setting, std::int64_t value, const WholeNumber& range) {
  if (value >= range.min && value <= range.max) return value;
  refuse_range(setting, value,
               fmt::format("give a number from {} to {}", with_commas(range.min), with_commas(range.max)));
}

// "1e400" is a number, but none that a double or TOML can have.
bool is_beyond_doubles(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc::result_out_of_range && rest == end;
}

std::string range_in_words(const Number& range) {
  if (range.max == std::numeric_limits<double>::max()) return fmt::format("a number, at least {}", range.min);
  return fmt::format("a number from {} to {}", range.min, range.max);
}

const TomlValue::List& as_list(const Setting& setting, std::string_view must_be, std::string_view hint) {
  const auto* list = std::get_if<TomlValue::List>(&setting.value.is);
  if (list == nullptr) refuse_kind(setting, setting.value, must_be, hint);
  return *list;
}

void check_length(const Setting& setting, std::size_t length, std::size_t least, std::size_t most,
                  std::string_view noun) {
  if (length >= least && length <= most) return;
  throw bad_input(
      fmt::format("{} has {}", subject(setting), counted(static_cast<std::int64_t>(length), noun)),
      fmt::format("give {} to {}", with_commas(static_cast<std::int64_t>(least)),
                  with_commas(static_cast<std::int64_t>(most))));
}

}  // namespace

std::string text_of(const Setting& setting, std::string_view must_be, std::string_view hint) {
  if (const auto* text = std::get_if<std::string>(&setting.value.is)) return *text;
  if (setting.typed) return *setting.typed;
  refuse_kind(setting, setting.value, must_be, hint);
}

const TomlValue::List& list_of(const Setting& setting, std::size_t most, std::string_view hint) {
  const TomlValue::List& list = as_list(setting, "a list", hint);
  check_length(setting, list.size(), 0, most, "element");
  return list;
}

std::int64_t WholeNumber::read(const Setting& setting) const {
  if (const auto* number = std::get_if<std::int64_t>(&setting.value.is))
    return in_range(setting, *number, *this);
  // Digits may be typed in groups, as in the flags of other commands.
  if (setting.typed) return parse_integer(printable(*setting.typed), subject(setting), min, max);
  refuse_kind(setting, setting.value, "a whole number", "write it without quotes and without a point");
}

std::string WholeNumber::print(std::int64_t value) const { return fmt::format("{}", value); }

std::int64_t ByteSize::read(const Setting& setting) const {
  if (const auto* bytes = std::get_if<std::int64_t>(&setting.value.is))
    return in_range(setting, *bytes, {min, max});
  return parse_bytes(text_of(setting, "a number of bytes", "write it like 65536, \"64 KiB\" or \"1.5 MB\""),
                     subject(setting), min, max);
}

std::string ByteSize::print(std::int64_t value) const { return fmt::format("{}", value); }

double Number::read(const Setting& setting) const {
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&setting.value.is)) {
    number = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&setting.value.is)) {
    number = *real;
  } else if (setting.typed && is_beyond_doubles(trimmed(*setting.typed))) {
    refuse_range(setting, printable(*setting.typed), "give " + range_in_words(*this));
  } else {
    refuse_kind(setting, setting.value, "a number", "write it like 0.1 or 1e-3");
  }
  if (number >= min && number <= max) return number;  // false for NaN
  refuse_range(setting, number, "give " + range_in_words(*this));
}

std::string Number::print(double value) const { return fmt::format("{}", value); }

std::vector<std::int64_t> WholeNumbers::read(const Setting& setting) const {
  constexpr std::string_view kHint = "write it like [256, 128]";
  const TomlValue::List& list = as_list(setting, "a list of whole numbers", kHint);
  check_length(setting, list.size(), least, most, "number");
  std::vector<std::int64_t> numbers;
  for (const TomlValue& value : list) {
    const auto* number = std::get_if<std::int64_t>(&value.is);
    if (number == nullptr) {
      throw bad_input(
          fmt::format("{} holds {}, and must hold whole numbers", subject(setting), kind_in_words(value)),
          std::string(kHint));
    }
    numbers.push_back(in_range(setting, *number, each));
  }
  return numbers;
}

std::string WholeNumbers::print(const std::vector<std::int64_t>& values) const {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

bool Truth::read(const Setting& setting) const {
  if (const auto* truth = std::get_if<bool>(&setting.value.is)) return *truth;
  refuse_kind(setting, setting.value, "a boolean", "write true or false, without quotes");
}

std::string Truth::print(bool value) const { return value ? "true" : "false"; }

std::string Text::read(const Setting& setting) const {
  std::string text = text_of(setting, "a string", "write it between quotes");
  if (text.empty() && !may_be_empty) {
    throw bad_input(subject(setting) + " is empty", "give a value or leave it out");
  }
  if (printable(text) == text) return text;
  throw bad_input(
      fmt::format("{}: '{}' holds a control character or is not UTF-8", subject(setting), printable(text)),
      "use another name");
}

std::chrono::nanoseconds Duration::read(const Setting& setting) const {
  if (const auto* seconds = std::get_if<std::int64_t>(&setting.value.is))
    return parse_duration(fmt::format("{}", *seconds), subject(setting));
  if (const auto* seconds = std::get_if<double>(&setting.value.is))
    return parse_duration(fmt::format("{:.9f}", *seconds), subject(setting));
  return parse_duration(text_of(setting, "a time", "write it like \"60 s\" or \"2 min\""), subject(setting));
}

std::string Duration::print(std::chrono::nanoseconds value) const {
  return toml_string(in_seconds(value) + " s");
}

std::size_t read_word(const Setting& setting, const std::vector<std::string_view>& known) {
  const std::string list = fmt::format("{}", fmt::join(known, ", "));
  const std::string word = text_of(setting, "a string", "give one of " + list);
  const auto at = std::find(known.begin(), known.end(), word);
  if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
  const std::string_view best = nearest(word, known);
  throw bad_input(fmt::format("{}: there is no '{}'", subject(setting), printable(word)),
                  best.empty() ? "give one of " + list : fmt::format("did you mean {}?", best));
}

}  // namespace trireme::config
