// The cost of an exchange by formula, without looking at any op. It is shown beside the count and must equal
// it.
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/plan.h"

namespace trireme::plan {

/// A formula in the words of the design (n workers, p parameters, s shares, …) and its value here. Values
/// saturate at 2^63 − 1, beyond which `check` refuses a spec.
struct ClosedForm {
  std::string_view messages_formula;
  std::string_view message_elements_formula;
  std::string_view elements_formula;
  std::string_view steps_formula;

  std::int64_t messages = 0;
  std::int64_t min_message_elements = 0;
  std::int64_t max_message_elements = 0;
  std::int64_t elements = 0;
  std::int64_t steps = 0;
};

[[nodiscard]] ClosedForm closed_form(const PlanSpec& spec);

/// The same for one worker and dedicated servers, with formulas without n: the update of one of any number of
/// workers that do not wait for all others.
[[nodiscard]] ClosedForm closed_form_of_update(const PlanSpec& spec);

}  // namespace trireme::plan
