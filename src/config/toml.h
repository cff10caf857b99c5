// The settings that users write: the keys of a TOML file and those typed on a command line. This file does
// not know what a key means; key_table.h does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trireme::config {

/// If it is a section or one of [[section.name]], its keys follow as separate settings.
struct TomlTable {
  bool is_one_of_several = false;  ///< [[section.name]]
};
struct TomlTime {};  ///< a date or a time of day; no key accepts one

struct TomlValue {
  using List = std::vector<TomlValue>;
  std::variant<std::int64_t, double, bool, std::string, List, TomlTable, TomlTime> is;
};

/// "a whole number", "a float", "a string", …
[[nodiscard]] std::string_view kind_in_words(const TomlValue& value);

/// One key with the value that the user gave it.
struct Setting {
  /// "train.epochs"; "train" for the section itself, or for a key outside of any; "fleet.ship" for each table
  /// [[fleet.ship]], and "fleet.ship.masts" for a key in it.
  std::string key;
  TomlValue value;
  std::string origin;                  ///< where it was set: "job.toml:7", "--set", "--epochs"
  std::optional<std::string> typed{};  ///< the value as it was typed, unless it comes from a file
};

/// The origin of settings that `read_assignment` reads.
inline constexpr std::string_view kSet = "--set";

/// The beginning of an error about the setting: "job.toml:7: train.epochs", "--set train.epochs", "--epochs".
[[nodiscard]] std::string subject(const Setting& setting);

/// All settings in a text, from its first line to its last; a section comes before its keys, and so does each
/// table [[section.name]]. Throws `Error`
/// (bad input) that names the line if it is not TOML. `name` stands for the text in `origin`.
[[nodiscard]] std::vector<Setting> read_toml(std::string_view text, const std::string& name);

/// The same for a file. Throws `Error` (bad input) if the file does not exist or has more than 64 KiB.
[[nodiscard]] std::vector<Setting> read_toml_file(const std::string& path);

/// A value from a command line or a variable: parsed as TOML if it is TOML, otherwise a string without
/// quotes.
[[nodiscard]] Setting read_typed(std::string key, std::string_view text, std::string origin);

/// Reads "key=value" of --set. Throws `Error` (bad input) if there is no '=' or no key.
[[nodiscard]] Setting read_assignment(std::string_view text);

/// The text as a TOML string, with quotes. The text must have no control characters.
[[nodiscard]] std::string toml_string(std::string_view text);

}  // namespace trireme::config
