// The types of keys: how a value is read from a setting and how it is written as TOML. Each type has
//
//   read(setting)  returns the value; throws `Error` (bad input) that begins with the setting's subject and
//                  says what would be right
//   print(value)   returns the value as TOML, so that reading it gives the same value
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/toml.h"

namespace trireme::config {

struct WholeNumber {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] std::int64_t read(const Setting& setting) const;
  [[nodiscard]] std::string print(std::int64_t value) const;
};

/// Bytes: a whole number of them, or "64 KiB", "1.5 MB".
struct ByteSize {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] std::int64_t read(const Setting& setting) const;
  [[nodiscard]] std::string print(std::int64_t value) const;
};

/// A finite number, with or without a decimal point.
struct Number {
  double min = 0;
  double max = std::numeric_limits<double>::max();

  [[nodiscard]] double read(const Setting& setting) const;
  [[nodiscard]] std::string print(double value) const;
};

/// A list of up to `most` whole numbers.
struct WholeNumbers {
  std::size_t least = 0;
  std::size_t most = 0;
  WholeNumber each{};

  [[nodiscard]] std::vector<std::int64_t> read(const Setting& setting) const;
  [[nodiscard]] std::string print(const std::vector<std::int64_t>& values) const;
};

struct Truth {
  [[nodiscard]] bool read(const Setting& setting) const;
  [[nodiscard]] std::string print(bool value) const;
};

/// The text of a setting as it was typed, or the content of its quotes in a file. Throws `Error` (bad input)
/// if the file has a value that is not a string.
[[nodiscard]] std::string text_of(const Setting& setting, std::string_view must_be, std::string_view hint);

/// The elements of a list. Throws `Error` (bad input) if it is not a list or has more than `most` elements.
[[nodiscard]] const TomlValue::List& list_of(const Setting& setting, std::size_t most, std::string_view hint);

/// A list of up to `most` values of another type.
template <typename Type>
struct ListOf {
  using Value = decltype(std::declval<const Type&>().read(std::declval<const Setting&>()));

  std::size_t most = 0;
  std::string_view example;  ///< "[0.5, 2]"
  Type each{};

  [[nodiscard]] std::vector<Value> read(const Setting& setting) const {
    std::vector<Value> values;
    Setting element = setting;
    for (const TomlValue& value : list_of(setting, most, "write it like " + std::string(example))) {
      element.value = value;
      values.push_back(each.read(element));
    }
    return values;
  }
  [[nodiscard]] std::string print(const std::vector<Value>& values) const {
    std::string text;
    for (const Value& value : values) text += (text.empty() ? "" : ", ") + each.print(value);
    return "[" + text + "]";
  }
};

/// A value of another type, or a word for "no value", such as "unlimited".
template <typename Type>
struct OrWord {
  using Value = typename ListOf<Type>::Value;

  std::string_view word;
  Value none{};
  Type type{};

  [[nodiscard]] Value read(const Setting& setting) const {
    const auto* text = std::get_if<std::string>(&setting.value.is);
    return text != nullptr && *text == word ? none : type.read(setting);
  }
  [[nodiscard]] std::string print(const Value& value) const {
    return value == none ? toml_string(word) : type.print(value);
  }
};

/// One line of UTF-8. A typed value needs no quotes, even if it looks like a number.
struct Text {
  bool may_be_empty = true;

  [[nodiscard]] std::string read(const Setting& setting) const;
  [[nodiscard]] std::string print(const std::string& value) const { return toml_string(value); }
};

/// "60 s", "1.5min"; a number without a unit means seconds.
struct Duration {
  [[nodiscard]] std::chrono::nanoseconds read(const Setting& setting) const;
  [[nodiscard]] std::string print(std::chrono::nanoseconds value) const;
};

/// The index of the word among the known ones. For an unknown word the error suggests the nearest.
[[nodiscard]] std::size_t read_word(const Setting& setting, const std::vector<std::string_view>& known);

/// One of a few values, each named by a word.
template <typename Value>
struct OneOf {
  std::vector<std::string_view> words;
  std::vector<Value> values;  ///< one for each word

  [[nodiscard]] Value read(const Setting& setting) const { return values[read_word(setting, words)]; }
  [[nodiscard]] std::string print(const Value& value) const {
    std::size_t at = 0;
    while (at < values.size() && values[at] != value) ++at;
    return toml_string(at < words.size() ? words[at] : "");
  }
};

}  // namespace trireme::config
