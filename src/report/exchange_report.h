// Everything there is to say about one exchange, as text for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "plan/count.h"
#include "plan/explain/narrative.h"
#include "plan/explain/node_names.h"
#include "plan/plan.h"
#include "plan/strategies/closed_form.h"
#include "report/json.h"

namespace trireme::report {

/// Bytes are those of float32.
inline constexpr std::int64_t kBytesPerElement = 4;

/// More messages than that are never listed all together, only a node's own.
inline constexpr std::int64_t kMostMessagesToList = 200'000;

/// How a real run went that was made to check the explanation.
struct RunReport {
  std::int64_t messages = 0;  ///< counted on the wire
  double seconds = 0;
};

/// What is known of an exchange. References live as long as the report is being written.
struct ExchangeReport {
  const plan::PlanSpec& spec;
  const plan::NodeNames& names;
  plan::ClosedForm formula;
  std::optional<plan::Tally> tally{};  ///< nothing when the plan is too large to be made in full
  const std::vector<plan::Event>* events = nullptr;  ///< the steps, unless they are not to be told
  std::optional<Rank> node{};                        ///< whose part of the steps it is; nothing: everybody's
  const plan::Values* results =
      nullptr;  ///< by worker, if values were given: sums, or with `update` the weights
  std::optional<RunReport> run{};
  const plan::Values* brought = nullptr;    ///< by worker, if values were given
  const plan::SgdUpdate* update = nullptr;  ///< of parameter-server, if weights were given
  std::string too_large{};                  ///< in a comparison: why there are no totals
};

/// The summary, the table of formulas and numbers, what workers bring if that is known, the steps in words,
/// and the results if there are any.
[[nodiscard]] std::string to_text(const ExchangeReport& report);

/// The JSON document of `trireme explain`: docs/explain-json.md. Without events it has no "ops".
[[nodiscard]] Json to_json(const ExchangeReport& report);

/// A row for each exchange: to compare strategies.
[[nodiscard]] std::string compare_text(const std::vector<ExchangeReport>& reports);
[[nodiscard]] Json compare_json(const std::vector<ExchangeReport>& reports);

/// A document as text: a line for each key, and for each member of an array of objects.
[[nodiscard]] std::string document_text(const Json& document);

}  // namespace trireme::report
