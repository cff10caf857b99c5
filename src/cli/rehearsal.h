// Runs an exchange for real, to see that it ends where its explanation ends.
#pragma once

#include <optional>

#include "plan/narrative.h"
#include "plan/plan.h"
#include "report/exchange_report.h"

namespace trireme {

/// Every node is a thread; float64, so that the bits can be compared with the calculation's. Without values
/// workers bring made-up ones. Throws `Error` when the run fails or ends elsewhere, or is too large for one
/// process.
[[nodiscard]] RunReport rehearse(const Plan& plan, const std::optional<Values>& values);

}  // namespace trireme
