// A kind of configuration as a table of keys: the name and meaning of each, and the member of a plain struct
// that it sets. Reading, writing and explaining work the same way for all kinds.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/toml.h"

namespace trireme::config {

/// The origin of each key's value. A key that is not in the map has its default.
using Sources = std::map<std::string, std::string, std::less<>>;

template <typename Config>
struct Key {
  std::string_view name;     ///< "train.epochs"
  std::string_view meaning;  ///< in one line
  std::function<void(Config&, const Setting&)> read;
  std::function<std::string(const Config&)> print;  ///< the value as TOML
  std::string_view of{};                            ///< the only thing that uses the key: "mlp"
  std::function<bool(const Config&)> used{};        ///< whether that is chosen; empty: the key is always used
  std::string_view other_name_of{};                 ///< the key of the same member that is written instead
  std::string_view table{};  ///< of a key in tables [[section.name]]: their name, which is also a key
  std::function<std::size_t(const Config&)> count{};  ///< of that key: how many tables there are
  std::function<std::string(const Config&, std::size_t)> print_of{};  ///< the value in one of them, as TOML
  std::string_view sample{};  ///< likewise, shown where there is no such table

  [[nodiscard]] bool has_use(const Config& config) const { return !used || used(config); }

  /// The same key, for a key that is used only with `what`.
  [[nodiscard]] Key only_of(std::string_view what, std::function<bool(const Config&)> chosen) && {
    of = what;
    used = std::move(chosen);
    return std::move(*this);
  }

  /// The same key, for a key that may be given instead of another one of its section.
  [[nodiscard]] Key instead_of(std::string_view other) && {
    other_name_of = other;
    return std::move(*this);
  }

  /// The same key, for a key in tables: with a value, as TOML, to show where there is no such table.
  [[nodiscard]] Key such_as(std::string_view value) && {
    sample = value;
    return std::move(*this);
  }
};

/// A key of a type (key_types.h) for a member, or for a member of a member:
///
///   key("train.epochs", "passes over the data", WholeNumber{1}, &Job::train, &Job::Train::epochs)
template <typename Type, typename Config, typename Part, typename... Deeper>
[[nodiscard]] Key<Config> key(std::string_view name, std::string_view meaning, Type type, Part Config::*part,
                              Deeper... deeper) {
  const auto member = [=](auto& config) -> auto& { return ((config.*part).*....*deeper); };
  return {name, meaning,
          [=](Config& config, const Setting& setting) {
            using Value = std::decay_t<decltype(member(config))>;
            member(config) = static_cast<Value>(type.read(setting));
          },
          [=](const Config& config) {
            using Read = decltype(type.read(std::declval<const Setting&>()));
            return type.print(static_cast<Read>(member(config)));
          }};
}

/// Throws `Error` (bad input) unless the setting comes from a table [[name]] of a file.
void require_table_of_file(const Setting& setting, std::string_view name);

/// The keys of tables of which a file may have several, [[section.name]]: each of them is an element of the
/// list. The keys have whole names: "section.name.key". A key whose value is printed as nothing is left out.
template <typename Config, typename Element>
[[nodiscard]] std::vector<Key<Config>> keys_of_each(std::string_view name, std::vector<Element> Config::*list,
                                                    const std::vector<Key<Element>>& keys) {
  std::vector<Key<Config>> all;
  Key<Config>& begins = all.emplace_back();
  begins.name = name;
  begins.count = [=](const Config& config) { return (config.*list).size(); };
  begins.read = [=](Config& config, const Setting& setting) {
    require_table_of_file(setting, name);
    (config.*list).emplace_back();
  };
  for (const Key<Element>& one : keys) {
    Key<Config>& key = all.emplace_back();
    key.name = one.name;
    key.meaning = one.meaning;
    key.table = name;
    key.sample = one.sample;
    key.read = [=](Config& config, const Setting& setting) {
      if (setting.typed) require_table_of_file(setting, name);
      one.read((config.*list).back(), setting);
    };
    key.print_of = [=](const Config& config, std::size_t i) { return one.print((config.*list)[i]); };
  }
  return all;
}

/// The beginning of an error about a key, the same as for a setting: "job.toml:7: train.epochs"; only the
/// key's name if the key has its default.
[[nodiscard]] std::string subject(std::string_view key, const Sources& sources);

/// The parts of a key that are shown.
struct KeyLine {
  std::string_view name{};
  std::string_view meaning{};
  std::string_view of{};
  std::string value{};
  std::string origin{};
  bool used = true;
  std::size_t table = 0;   ///< of a key in tables [[section.name]]: which of them, from 1
  bool is_sample = false;  ///< there is no such table
};

/// Finds the key that a setting sets; nothing if the setting only opens a known section. Throws `Error` (bad
/// input) for an unknown key or section, with the nearest known one, and for a section that is given a value.
[[nodiscard]] std::optional<std::size_t> find_key(std::span<const std::string_view> names,
                                                  const Setting& setting);

/// As TOML: the keys in their sections, each followed by the origin of its value and its meaning. Keys that
/// are not used are commented out, and so are samples of tables.
[[nodiscard]] std::string explained_toml(std::span<const KeyLine> lines);

/// As TOML: all keys, without samples and comments.
[[nodiscard]] std::string plain_toml(std::span<const KeyLine> lines);

/// One sentence for each key that was set but is not used.
[[nodiscard]] std::vector<std::string> say_unused(std::span<const KeyLine> lines);

inline constexpr std::string_view kDefault = "default";
inline constexpr std::string_view kSample = "example";

/// "fleet.ship.masts in table 2": where `Sources` has the origin of a key in tables [[fleet.ship]], and
/// "fleet.ship in table 2" that of the table itself. For 0, of any other key, its name.
[[nodiscard]] std::string in_table(std::string_view key, std::size_t table);

/// The keys; those of one section follow each other.
template <typename Config>
class KeyTable {
 public:
  explicit KeyTable(std::vector<Key<Config>> keys) : keys_(std::move(keys)) {
    for (const Key<Config>& one : keys_) names_.push_back(one.name);
  }

  /// The names of all keys, in their order.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }

  /// Applies the settings in order, so that the last one for a key holds. Throws `Error` (bad input) at the
  /// first that cannot be right.
  void read(std::span<const Setting> settings, Config& config, Sources& sources) const {
    for (const Setting& setting : settings) {
      const std::optional<std::size_t> at = find_key(names_, setting);
      if (!at) continue;
      keys_[*at].read(config, setting);
      sources[in_table(setting.key, table_of(keys_[*at], config))] = setting.origin;
    }
  }

  /// Leaves out alternative names, so each member is listed once.
  [[nodiscard]] std::vector<KeyLine> lines(const Config& config, const Sources& sources) const {
    std::vector<KeyLine> lines;
    for (const Key<Config>& one : keys_) {
      if (!one.other_name_of.empty() || !one.table.empty()) continue;
      if (one.count) {
        add_tables(one, config, sources, lines);
        continue;
      }
      lines.push_back(
          {one.name, one.meaning, one.of, one.print(config), origin(one.name, sources), one.has_use(config)});
    }
    return lines;
  }

 private:
  // Of a key that has just been read: the table that it is in, or that it has opened.
  [[nodiscard]] std::size_t table_of(const Key<Config>& key, const Config& config) const {
    if (key.count) return key.count(config);
    for (const Key<Config>& one : keys_) {
      if (one.count && one.name == key.table) return one.count(config);
    }
    return 0;
  }

  void add_tables(const Key<Config>& tables, const Config& config, const Sources& sources,
                  std::vector<KeyLine>& lines) const {
    if (tables.count(config) == 0) return add_sample(tables, lines);
    for (std::size_t i = 0; i < tables.count(config); ++i) {
      for (const Key<Config>& one : keys_) {
        if (one.table != tables.name) continue;
        KeyLine line{
            .name = one.name, .meaning = one.meaning, .value = one.print_of(config, i), .table = i + 1};
        if (line.value.empty()) continue;
        line.origin = origin(in_table(one.name, i + 1), sources);
        lines.push_back(std::move(line));
      }
    }
  }

  void add_sample(const Key<Config>& tables, std::vector<KeyLine>& lines) const {
    for (const Key<Config>& one : keys_) {
      if (one.table != tables.name || one.sample.empty()) continue;
      lines.push_back({.name = one.name,
                       .meaning = one.meaning,
                       .value = std::string(one.sample),
                       .origin = std::string(kSample),
                       .used = false,
                       .table = 1,
                       .is_sample = true});
    }
  }

  // The origin under whichever of its names the key was set.
  [[nodiscard]] std::string origin(std::string_view name, const Sources& sources) const {
    if (const auto source = sources.find(name); source != sources.end()) return source->second;
    for (const Key<Config>& one : keys_) {
      if (one.other_name_of != name) continue;
      if (const auto source = sources.find(one.name); source != sources.end()) return source->second;
    }
    return std::string(kDefault);
  }

  std::vector<Key<Config>> keys_;
  std::vector<std::string_view> names_;
};

}  // namespace trireme::config
