// All results about one exchange, as text for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "plan/count.h"
#include "plan/explain/narrative.h"
#include "plan/explain/node_names.h"
#include "plan/mode.h"
#include "plan/plan.h"
#include "plan/strategies/closed_form.h"
#include "report/json.h"

namespace trireme::report {

/// Byte counts assume float32.
inline constexpr std::int64_t kBytesPerElement = 4;

/// If there are more messages than this, only those of a single node are listed.
inline constexpr std::int64_t kMostMessagesToList = 200'000;

/// The result of a real run made to check the explanation.
struct RunReport {
  std::int64_t messages = 0;  ///< counted on the wire
  double seconds = 0;
};

/// The known facts about an exchange. References must live until the report is written.
struct ExchangeReport {
  const plan::PlanSpec& spec;
  const plan::NodeNames& names;
  plan::ClosedForm formula;
  std::optional<plan::Tally> tally{};                ///< empty if the plan is too large to be made in full
  const std::vector<plan::Event>* events = nullptr;  ///< the steps, unless they are left out
  std::optional<Rank> node{};  ///< the node whose steps are told; empty: those of all nodes
  const plan::Values* results =
      nullptr;  ///< by worker, if values were given: what it gets (sums), or with `update` the weights
  std::optional<RunReport> run{};
  const plan::Values* brought = nullptr;    ///< by worker, if values were given
  const plan::SgdUpdate* update = nullptr;  ///< for parameter-server, if weights were given
  std::string too_large{};                  ///< in a comparison: why there are no totals
  plan::Mode mode{};                        ///< other than sync: the exchange is the update of one worker
  std::int32_t workers = 1;                 ///< in such a mode: how many update like this
};

/// The summary, the table of formulas and numbers, the workers' contributions if known, the steps in words,
/// and the results if there are any.
[[nodiscard]] std::string to_text(const ExchangeReport& report);

/// The JSON document of `trireme explain`: docs/explain-json.md. Without events it has no "ops".
[[nodiscard]] Json to_json(const ExchangeReport& report);

/// One row for each exchange, to compare strategies.
[[nodiscard]] std::string compare_text(const std::vector<ExchangeReport>& reports);
[[nodiscard]] Json compare_json(const std::vector<ExchangeReport>& reports);

/// A document as text: one line for each key and for each member of an array of objects.
[[nodiscard]] std::string document_text(const Json& document);

}  // namespace trireme::report
