// A diagnosis as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/doctor.h"
#include "cli/doctor/doctor_advice.h"
#include "report/exchange_report.h"

namespace trireme::cli {

/// One section after another, with the advice last.
[[nodiscard]] std::string doctor_text(const Diagnosis& diagnosis, const std::vector<Advice>& advice);

/// The document of `trireme doctor --json`: docs/doctor-json.md.
[[nodiscard]] report::Json doctor_json(const Diagnosis& diagnosis, const std::vector<Advice>& advice);

/// Where the secret is stored, never its value: "TRIREME_SECRET", "TRIREME_SECRET_FILE", or nothing.
[[nodiscard]] std::optional<std::string> place_of_secret(const Diagnosis& diagnosis);

}  // namespace trireme::cli
