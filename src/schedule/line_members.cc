#include "schedule/line_members.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace trireme::schedule {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongest = 1000;  // a line has few members, and all are short

// What nlohmann says, without the name of its exception and its own number of the line.
std::string reason_of(const Json::exception& error) {
  const std::string_view text = error.what();
  for (const std::string_view before_it : {"line 1, ", "] "}) {
    const std::size_t at = text.find(before_it);
    if (at != std::string_view::npos) return printable(text.substr(at + before_it.size()));
  }
  return printable(text);
}

}  // namespace

LineMembers::LineMembers(std::string_view text, std::string where) : where_(std::move(where)) {
  if (text.size() > kLongest) fail(fmt::format("it has more than {} characters", with_commas(kLongest)));
  std::set<std::string> names;
  const auto check = [&](int level, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::key && level == 1 && !names.insert(parsed.get<std::string>()).second) {
      fail(fmt::format("'{}' is there twice", printable(parsed.get<std::string>())));
    }
    return true;
  };
  try {
    json_ = Json::parse(text, check);
  } catch (const Json::exception& error) {
    fail("it is no right JSON: " + reason_of(error));
  }
  if (!json_.is_object()) fail("it is no object");
}

void LineMembers::fail(const std::string& what, const std::string& hint) const {
  throw bad_input(fmt::format("{}: {}", where_, what),
                  hint.empty() ? "write it as docs/formats/schedule.md says" : hint);
}

std::optional<Json> LineMembers::take(const char* key) {
  const auto at = json_.find(key);
  if (at == json_.end()) return std::nullopt;
  std::optional<Json> value(std::in_place, std::move(*at));
  json_.erase(at);
  return value;
}

std::optional<std::int64_t> LineMembers::take_number(const char* key, std::int64_t least, std::int64_t most) {
  const std::optional<Json> value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > static_cast<std::uint64_t>(most) ||
      value->get<std::int64_t>() < least) {
    fail(fmt::format("'{}' is no whole number from {} to {}", key, with_commas(least), with_commas(most)));
  }
  return value->get<std::int64_t>();
}

std::int64_t LineMembers::need_number(const char* key, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> number = take_number(key, least, most);
  if (!number) fail(fmt::format("'{}' is missing", key));
  return *number;
}

std::optional<std::string> LineMembers::take_text(const char* key) {
  const std::optional<Json> value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) fail(fmt::format("'{}' is no text", key));
  return value->get<std::string>();
}

std::optional<bool> LineMembers::take_truth(const char* key) {
  const std::optional<Json> value = take(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) fail(fmt::format("'{}' is neither true nor false", key));
  return value->get<bool>();
}

void LineMembers::require_none_left() const {
  if (!json_.empty()) fail(fmt::format("'{}' is unknown here", printable(json_.begin().key())));
}

}  // namespace trireme::schedule
