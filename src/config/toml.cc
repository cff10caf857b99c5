#include "config/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "config/toml_headers.h"

namespace trireme::config {
namespace {

// Much more than any configuration needs.
constexpr std::size_t kMostFileBytes = std::size_t{1} << 16;
// Each dot of a key may create a table inside a table, and toml++ descends into them by recursion.
constexpr std::ptrdiff_t kMostDots = 500;

// The number, from 1, of the first line with too many dots.
std::optional<std::size_t> line_too_deep(std::string_view text) {
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '.') > kMostDots)
      return number;
    if (end == text.size()) return std::nullopt;
    text.remove_prefix(end + 1);
  }
}

// A setting with its position, to sort by: toml++ returns keys in alphabetical order.
struct Found {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Setting setting;
};

TomlValue value_of(const toml::node& node) {
  if (const auto* number = node.as_integer()) return {number->get()};
  if (const auto* number = node.as_floating_point()) return {number->get()};
  if (const auto* truth = node.as_boolean()) return {truth->get()};
  if (const auto* text = node.as_string()) return {text->get()};
  if (node.is_table()) return {TomlTable{}};
  if (!node.is_array()) return {TomlTime{}};
  TomlValue::List list;
  for (const toml::node& element : *node.as_array()) list.push_back(value_of(element));
  return {std::move(list)};
}

// A key that opens a section has the position of the section.
Found found(const std::string& key, const toml::key& name, const toml::node& node, const std::string& file) {
  const toml::source_position at = name.source().begin ? name.source().begin : node.source().begin;
  return {at.line, at.column, {key, value_of(node), fmt::format("{}:{}", file, at.line)}};
}

void add_keys(const std::string& name, const toml::table& table, const std::string& file,
              std::vector<Found>& all) {
  for (const auto& [key, value] : table)
    all.push_back(found(fmt::format("{}.{}", name, key.str()), key, value, file));
}

// Each table [[name]] with its keys.
void add_tables(const std::string& name, const toml::array& tables, const std::string& file,
                std::vector<Found>& all) {
  for (const toml::node& node : tables) {
    const toml::source_position at = node.source().begin;
    all.push_back({at.line,
                   at.column,
                   {name, {TomlTable{.is_one_of_several = true}}, fmt::format("{}:{}", file, at.line)}});
    add_keys(name, *node.as_table(), file, all);
  }
}

// Collects the sections' own keys. A table inside a section stays one value, but for those of
// [[section.name]].
std::vector<Found> all_in(const toml::table& root, const std::string& file) {
  std::vector<Found> all;
  for (const auto& [section, node] : root) {
    const std::string name(section.str());
    all.push_back(found(name, section, node, file));
    if (!node.is_table()) continue;
    for (const auto& [key, value] : *node.as_table()) {
      const std::string whole = fmt::format("{}.{}", name, key.str());
      if (value.is_array_of_tables()) {
        add_tables(whole, *value.as_array(), file, all);
      } else {
        all.push_back(found(whole, key, value, file));
      }
    }
  }
  return all;
}

std::string read_text(const std::string& path) {
  const auto refuse = [&](std::string_view why) {
    throw bad_input(fmt::format("cannot read {}: {}", printable(path), why), "give the path of a TOML file");
  };
  std::error_code unknown;  // opening the file will report the reason
  if (std::filesystem::is_directory(path, unknown)) refuse("it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text(kMostFileBytes + 1, '\0');
  errno = 0;
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse(std::strerror(errno != 0 ? errno : EIO));
  text.resize(idx(file.gcount()));
  if (text.size() > kMostFileBytes) refuse("it has more than 64 KiB");
  return text;
}

// The value, if the text is exactly one value.
std::optional<TomlValue> parse_value(std::string_view text) {
  // A second line would be a second key.
  if (text.size() > kMostFileBytes || text.find('\n') != std::string_view::npos) return std::nullopt;
  if (line_too_deep(text)) return std::nullopt;
  try {
    const toml::table table = toml::parse(fmt::format("value = {}", text));
    return value_of(*table.get("value"));
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string_view kind_in_words(const TomlValue& value) {
  constexpr std::array<std::string_view, 7> kWords = {
      "a whole number", "a float", "a boolean", "a string", "a list", "a table", "a date or time"};
  static_assert(kWords.size() == std::variant_size_v<decltype(value.is)>);
  return kWords[value.is.index()];
}

std::string subject(const Setting& setting) {
  const std::string key = printable(setting.key);
  if (!setting.typed) return fmt::format("{}: {}", setting.origin, key);
  return setting.origin == kSet ? fmt::format("{} {}", kSet, key) : setting.origin;
}

std::vector<Setting> read_toml(std::string_view text, const std::string& name) {
  const std::string shown = printable(name);
  if (const std::optional<std::size_t> line = line_too_deep(text)) {
    throw bad_input(fmt::format("{}:{}: the line has more than {} dots", shown, *line, kMostDots),
                    "write keys like section.key");
  }
  try {
    std::vector<Found> all = all_in(toml::parse(text), shown);
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    std::vector<Setting> settings;
    settings.reserve(all.size());
    for (Found& one : all) settings.push_back(std::move(one.setting));
    return settings;
  } catch (const toml::parse_error& error) {
    throw bad_input(fmt::format("{}:{}: this is not TOML: {}", shown, error.source().begin.line,
                                printable(error.description())),
                    "write it like key = 1, key = 0.5, key = \"word\" or key = [1, 2]");
  }
}

std::vector<Setting> read_toml_file(const std::string& path) { return read_toml(read_text(path), path); }

Setting read_typed(std::string key, std::string_view text, std::string origin) {
  std::optional<TomlValue> value = parse_value(text);
  return {std::move(key), value ? std::move(*value) : TomlValue{std::string(text)}, std::move(origin),
          std::string(text)};
}

Setting read_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string key(trimmed(text.substr(0, equals)));
  if (equals == std::string_view::npos || key.empty()) {
    throw bad_input(fmt::format("{}: '{}' is not a key and a value", kSet, printable(text)),
                    "give them like section.key=value");
  }
  return read_typed(key, trimmed(text.substr(equals + 1)), std::string(kSet));
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace trireme::config
