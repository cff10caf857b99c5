// Runs an exchange for real, to check that its result is the one that the explanation gives.
#pragma once

#include <optional>

#include "plan/explain/narrative.h"
#include "plan/plan.h"
#include "report/exchange_report.h"

namespace trireme::cli {

/// Every node is a thread. The numbers are float64, so that the bits can be compared with the calculation.
/// Without values the workers use made-up ones. Throws `Error` if the run fails, gives a different result, or
/// is too large for one process.
[[nodiscard]] report::RunReport rehearse(const plan::Plan& plan, const std::optional<plan::Values>& values);

}  // namespace trireme::cli
