#include "config/key_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trireme::config {
namespace {

std::string_view section_of(std::string_view name) { return name.substr(0, name.find('.')); }

std::string_view short_name(std::string_view name) { return name.substr(name.find('.') + 1); }

// "group" and "kind" of "optimizer.group.kind".
std::string_view last_name(std::string_view name) { return name.substr(name.rfind('.') + 1); }
std::string_view table_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

// Lists each section once.
std::vector<std::string_view> sections_of(std::span<const std::string_view> names) {
  std::vector<std::string_view> sections;
  for (const std::string_view name : names) {
    if (sections.empty() || sections.back() != section_of(name)) sections.push_back(section_of(name));
  }
  return sections;
}

std::vector<std::string_view> keys_of(std::string_view section, std::span<const std::string_view> names) {
  std::vector<std::string_view> keys;
  for (const std::string_view name : names) {
    if (section_of(name) == section) keys.push_back(name);
  }
  return keys;
}

// Those of a section itself, "optimizer", or of its tables, "optimizer.group".
std::vector<std::string_view> keys_in(std::string_view table, std::span<const std::string_view> names) {
  std::vector<std::string_view> keys;
  for (const std::string_view name : names) {
    if (table_of(name) == table) keys.push_back(name);
  }
  return keys;
}

std::vector<std::string_view> short_names(std::span<const std::string_view> names) {
  std::vector<std::string_view> shorts;
  for (const std::string_view name : names) shorts.push_back(short_name(name));
  return shorts;
}

// Compares only the part after the point: long names of one section are all near to each other.
std::string_view nearest_by_short_name(std::string_view typed, std::span<const std::string_view> names) {
  const std::vector<std::string_view> shorts = short_names(names);
  const std::string_view best = nearest(short_name(typed), shorts);
  const auto at = std::find(shorts.begin(), shorts.end(), best) - shorts.begin();
  return best.empty() ? best : names[static_cast<std::size_t>(at)];
}

// Looks in the table or section that was typed first, then in all: the key may be right and only its section
// wrong.
std::string_view nearest_key(std::string_view typed, std::span<const std::string_view> names) {
  const std::string_view in_table = nearest_by_short_name(typed, keys_in(table_of(typed), names));
  if (!in_table.empty()) return in_table;
  const std::string_view section = nearest(section_of(typed), sections_of(names));
  const std::string_view best = nearest_by_short_name(typed, keys_of(section, names));
  return best.empty() ? nearest_by_short_name(typed, names) : best;
}

std::string all_sections(std::span<const std::string_view> names) {
  return fmt::format("the sections are {}", fmt::join(sections_of(names), ", "));
}

std::string keys_beside(std::string_view typed, std::span<const std::string_view> names) {
  const std::string_view table = table_of(typed);
  std::vector<std::string_view> keys = keys_in(table, names);
  if (keys.empty()) return all_sections(names);
  for (std::string_view& key : keys) key = last_name(key);
  const bool is_section = table == section_of(table);
  return fmt::format("the keys of {}{}{} are {}", is_section ? "[" : "[[", table, is_section ? "]" : "]]",
                     fmt::join(keys, ", "));
}

[[noreturn]] void refuse_key(std::span<const std::string_view> names, const Setting& setting) {
  const std::string_view best = nearest_key(setting.key, names);
  throw bad_input(fmt::format("{}: unknown key {}", setting.origin, printable(setting.key)),
                  best.empty() ? keys_beside(setting.key, names) : fmt::format("did you mean {}?", best));
}

[[noreturn]] void refuse_section(std::span<const std::string_view> names, const Setting& setting) {
  const std::vector<std::string_view> sections = sections_of(names);
  const std::string_view best = nearest(setting.key, sections);
  throw bad_input(fmt::format("{}: unknown section [{}]", setting.origin, printable(setting.key)),
                  best.empty() ? all_sections(names) : fmt::format("did you mean [{}]?", best));
}

[[noreturn]] void refuse_no_section(const Setting& setting) {
  throw bad_input(
      fmt::format("{} is {}, and must be a section", subject(setting), kind_in_words(setting.value)),
      fmt::format("write [{}] on a line of its own, and its keys below", setting.key));
}

// "kind = "mlp"", commented out with '#' when the key is not used.
std::string assignment(const KeyLine& line) {
  return fmt::format("{}{} = {}", line.used ? "" : "# ", last_name(line.name), line.value);
}

// Calls `write` for each line, after the header of its section or table.
template <typename Write>
std::string by_section(std::span<const KeyLine> lines, const Write& write) {
  std::string text;
  std::string_view section;
  std::size_t table = 0;
  for (const KeyLine& line : lines) {
    if (table_of(line.name) != section || line.table != table) {
      section = table_of(line.name);
      table = line.table;
      text += fmt::format("{}{}{}{}{}\n", text.empty() ? "" : "\n", line.is_sample ? "# " : "",
                          table == 0 ? "[" : "[[", section, table == 0 ? "]" : "]]");
    }
    text += write(line);
  }
  return text;
}

}  // namespace

std::optional<std::size_t> find_key(std::span<const std::string_view> names, const Setting& setting) {
  const auto name = std::find(names.begin(), names.end(), setting.key);
  if (name != names.end()) return static_cast<std::size_t>(name - names.begin());
  const bool is_table = std::holds_alternative<TomlTable>(setting.value.is);
  const std::vector<std::string_view> sections = sections_of(names);
  const bool names_section = std::find(sections.begin(), sections.end(), setting.key) != sections.end();
  if (names_section && is_table) return std::nullopt;
  if (names_section) refuse_no_section(setting);
  if (is_table && !setting.typed && setting.key.find('.') == std::string::npos)
    refuse_section(names, setting);
  refuse_key(names, setting);
}

void require_table_of_file(const Setting& setting, std::string_view name) {
  const auto* table = std::get_if<TomlTable>(&setting.value.is);
  if (!setting.typed && table != nullptr && table->is_one_of_several) return;
  throw bad_input(fmt::format("{} {}", subject(setting),
                              setting.typed ? "can only be set in a file"
                              : table != nullptr
                                  ? fmt::format("is one table [{0}], and there may be several [[{0}]]", name)
                                  : fmt::format("is {}, and must be a table", kind_in_words(setting.value))),
                  fmt::format("write [[{}]] on a line of its own in a file, and its keys below", name));
}

std::string in_table(std::string_view key, std::size_t table) {
  return table == 0 ? std::string(key) : fmt::format("{} in table {}", key, table);
}

std::string subject(std::string_view key, const Sources& sources) {
  const auto source = sources.find(key);
  if (source == sources.end()) return std::string(key);
  return fmt::format("{}{} {}", source->second, source->second == kSet ? "" : ":", key);
}

std::string explained_toml(std::span<const KeyLine> lines) {
  std::size_t widest = 0;
  std::size_t widest_origin = 0;
  for (const KeyLine& line : lines) {
    widest = std::max(widest, width(assignment(line)));
    widest_origin = std::max(widest_origin, width(line.origin));
  }
  const auto padding = [](std::size_t whole, std::string_view text) {
    return std::string(whole - width(text), ' ');
  };
  return by_section(lines, [&](const KeyLine& line) {
    const std::string set = assignment(line);
    return fmt::format("{}{}  # {}{}  {}{}\n", set, padding(widest, set), line.origin,
                       padding(widest_origin, line.origin),
                       line.of.empty() ? "" : fmt::format("{}: ", line.of), line.meaning);
  });
}

std::string plain_toml(std::span<const KeyLine> lines) {
  std::vector<KeyLine> set(lines.begin(), lines.end());
  std::erase_if(set, [](const KeyLine& line) { return line.is_sample; });
  return by_section(
      set, [](const KeyLine& line) { return fmt::format("{} = {}\n", last_name(line.name), line.value); });
}

std::vector<std::string> say_unused(std::span<const KeyLine> lines) {
  std::vector<std::string> sentences;
  for (const KeyLine& line : lines) {
    if (line.used || line.is_sample || line.origin == kDefault) continue;
    sentences.push_back(fmt::format("{} ({}) is not used: it is for {}", line.name, line.origin, line.of));
  }
  return sentences;
}

}  // namespace trireme::config
