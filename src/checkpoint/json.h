// JSON from files that nobody has checked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace trireme::checkpoint {

using Json = nlohmann::json;

/// Throws `Error` (bad input) that begins with `name` when the text is no JSON, or has a name twice in one
/// object or more than a few levels; `hint` is one thing to try.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& name, const std::string& hint);

/// The text in quotes. Throws `Error` (bad input) when it is not UTF-8.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace trireme::checkpoint
