#include "checkpoint/json.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trireme::checkpoint {
namespace {

constexpr int kMostLevels = 8;

// What nlohmann says, without the name and number of its exception.
std::string reason_of(const Json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.find("] ");
  return printable(end == std::string_view::npos ? text : text.substr(end + 2));
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name, const std::string& hint) {
  std::vector<std::set<std::string>> names;  // of each open object
  const auto check = [&](int level, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && level >= kMostLevels) {
      throw bad_input(fmt::format("{}: there are more than {} levels in its JSON", name, kMostLevels), hint);
    }
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event == Event::key && !names.back().insert(parsed.get<std::string>()).second) {
      throw bad_input(fmt::format("{}: '{}' is there twice", name, printable(parsed.get<std::string>())),
                      hint);
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {
    throw bad_input(fmt::format("{} is no right JSON: {}", name, reason_of(error)), hint);
  }
}

std::string quoted(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    throw bad_input(fmt::format("the name '{}' is not UTF-8", printable(text)), "take another name");
  }
}

}  // namespace trireme::checkpoint
