// Runs an exchange for real, to see that it ends where its explanation ends.
#pragma once

#include <optional>

#include "plan/explain/narrative.h"
#include "plan/plan.h"
#include "report/exchange_report.h"

namespace trireme::cli {

/// Every node is a thread; float64, so that the bits can be compared with the calculation's. Without values
/// workers bring made-up ones. Throws `Error` when the run fails or ends elsewhere, or is too large for one
/// process.
[[nodiscard]] report::RunReport rehearse(const plan::Plan& plan, const std::optional<plan::Values>& values);

}  // namespace trireme::cli
