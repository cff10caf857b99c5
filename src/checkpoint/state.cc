#include "checkpoint/state.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/json.h"

namespace trireme::checkpoint {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kTimeForm = "0000-00-00T00:00:00Z";
constexpr const char* kStateHint = "take another checkpoint";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_time(std::string_view text) {
  return std::equal(text.begin(), text.end(), kTimeForm.begin(), kTimeForm.end(),
                    [](char c, char form) { return form == '0' ? is_digit(c) : c == form; });
}

// Takes the members of an object one after the other; none may be left in the end.
class Members {
 public:
  Members(Json json, const std::string& name) : json_(std::move(json)), name_(name) {
    if (!json_.is_object()) fail("it is no object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw bad_input(fmt::format("{}: {}", name_, what), kStateHint);
  }

  Json take(const char* key) {
    const auto at = json_.find(key);
    if (at == json_.end()) fail(fmt::format("'{}' is missing", key));
    Json value = std::move(*at);
    json_.erase(at);
    return value;
  }

  std::int64_t take_count(const char* key, std::int64_t least = 0) {
    const Json value = take(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t{kMost} ||
        value.get<std::int64_t>() < least) {
      fail(fmt::format("'{}' is no whole number from {} on", key, least));
    }
    return value.get<std::int64_t>();
  }

  std::string take_text(const char* key) {
    const Json value = take(key);
    if (!value.is_string()) fail(fmt::format("'{}' is no text", key));
    return value.get<std::string>();
  }

  template <typename Value>
  std::map<std::string, Value> take_map(const char* key, bool (Json::*is_right)() const noexcept,
                                        const char* kind) {
    const Json json = take(key);
    if (!json.is_object()) fail(fmt::format("'{}' is no object", key));
    std::map<std::string, Value> map;
    for (const auto& [name, value] : json.items()) {
      if (!(value.*is_right)()) fail(fmt::format("'{}' of '{}' is no {}", printable(name), key, kind));
      map[name] = value.template get<Value>();
    }
    return map;
  }

  void require_none_left() const {
    if (!json_.empty()) fail(fmt::format("'{}' is unknown here", printable(json_.begin().key())));
  }

 private:
  Json json_;
  const std::string& name_;
};

std::uint64_t take_seed(Members& members) {
  const Json value = members.take("seed");
  if (!value.is_number_unsigned()) members.fail("'seed' is no whole number from 0 on");
  return value.get<std::uint64_t>();
}

}  // namespace

std::string time_in_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string to_json(const State& state) {
  for (const auto& [name, value] : state.numbers) {
    if (std::isfinite(value)) continue;
    throw bad_input(fmt::format("the number '{}' of a checkpoint is {}", printable(name), value),
                    "keep finite numbers only");
  }
  nlohmann::ordered_json json;
  json["version"] = kVersion;
  json["step"] = state.step;
  json["epoch"] = state.epoch;
  json["position"] = state.position;
  json["seed"] = state.seed;
  json["workers"] = state.workers;
  json["servers"] = state.servers;
  json["strategy"] = state.strategy;
  json["rule"] = state.rule;
  json["model"] = state.model;
  json["saved"] = state.saved;
  json["numbers"] = state.numbers;
  json["texts"] = state.texts;
  try {
    return json.dump(2) + "\n";
  } catch (const Json::exception&) {
    throw bad_input("a text of the checkpoint's state is not UTF-8", "keep it as a tensor of bytes");
  }
}

State read_state(std::string_view json, const std::string& name) {
  Members members(parse_json(json, name, kStateHint), name);
  if (const std::int64_t version = members.take_count("version"); version != kVersion) {
    members.fail(
        fmt::format("it has version {} of the format, and this program reads {}", version, kVersion));
  }
  State state;
  state.step = members.take_count("step");
  state.epoch = members.take_count("epoch");
  state.position = members.take_count("position");
  state.seed = take_seed(members);
  state.workers = members.take_count("workers", 1);
  state.servers = members.take_count("servers");
  state.strategy = members.take_text("strategy");
  state.rule = members.take_text("rule");
  state.model = members.take_text("model");
  state.saved = members.take_text("saved");
  if (!is_time(state.saved)) members.fail("'saved' is no time such as 2026-03-01T12:00:00Z");
  state.numbers = members.take_map<double>("numbers", &Json::is_number, "number");
  state.texts = members.take_map<std::string>("texts", &Json::is_string, "text");
  members.require_none_left();
  return state;
}

}  // namespace trireme::checkpoint
