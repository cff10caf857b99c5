#include "plan/mode.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/plan.h"

namespace trireme::plan {

std::string to_string(const Mode& mode) {
  switch (mode.kind) {
    case Mode::Kind::kSync:
      return "sync";
    case Mode::Kind::kAsync:
      return "async";
    case Mode::Kind::kSsp:
      return fmt::format("ssp:{}", mode.number);
    case Mode::Kind::kBackup:
      return fmt::format("backup:{}", mode.number);
  }
  return "";
}

Mode parse_mode(std::string_view text, std::string_view subject) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const bool has_number = colon != std::string_view::npos;
  if (word == "sync" && !has_number) return {};
  if (word == "async" && !has_number) return {.kind = Mode::Kind::kAsync};
  if ((word != "ssp" && word != "backup") || !has_number) {
    throw bad_input(fmt::format("{}: there is no mode '{}'", subject, printable(std::string(text))),
                    fmt::format("give {}", kModesInWords));
  }
  const auto number = static_cast<std::int32_t>(
      parse_integer(printable(std::string(text.substr(colon + 1))), subject, 0, PlanSpec::kMaxNodes));
  if (number == 0) return {};
  return {.kind = word == "ssp" ? Mode::Kind::kSsp : Mode::Kind::kBackup, .number = number};
}

}  // namespace trireme::plan
