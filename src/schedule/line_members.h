// The members of the JSON object in one line of a file that nobody has checked.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace trireme::schedule {

/// Takes the members one after the other; none may be left in the end. Everything throws `Error` (bad input)
/// that begins with `where`, such as "schedule.jsonl, line 3".
class LineMembers {
 public:
  LineMembers(std::string_view text, std::string where);

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

  /// A whole number from `least` to `most`; empty if there is none of this name.
  [[nodiscard]] std::optional<std::int64_t> take_number(const char* key, std::int64_t least,
                                                        std::int64_t most);
  [[nodiscard]] std::int64_t need_number(const char* key, std::int64_t least, std::int64_t most);
  [[nodiscard]] std::optional<std::string> take_text(const char* key);
  [[nodiscard]] std::optional<bool> take_truth(const char* key);
  void require_none_left() const;

 private:
  [[nodiscard]] std::optional<nlohmann::json> take(const char* key);

  std::string where_;
  nlohmann::json json_;
};

}  // namespace trireme::schedule
