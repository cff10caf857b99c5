// Explains an exchange step by step, in sentences made from the ops that run.
#pragma once

#include <cstddef>
#include <string>

#include "plan/explain/narrative.h"
#include "plan/explain/node_names.h"
#include "plan/plan.h"

namespace trireme::plan {

/// "A sends chunk 0 to B, which adds it: 5 + 17 = 22".
[[nodiscard]] std::string sentence(const PlanSpec& spec, const Event& event, const NodeNames& names);

/// The steps in words, each under its heading ("step 2 of `steps`: reduce"), up to `most_sentences`. If some
/// are left out, the end says so, with `how_to_see_more` as the last line.
[[nodiscard]] std::string explain(const PlanSpec& spec, const std::vector<Event>& events,
                                  const NodeNames& names, std::int64_t steps, std::size_t most_sentences,
                                  std::string_view how_to_see_more);

/// 17 → "17", 0.1 → "0.1"; several → "[17, 11, 1]"; long lists are cut.
[[nodiscard]] std::string numbers_in_words(const std::vector<double>& numbers);

}  // namespace trireme::plan
