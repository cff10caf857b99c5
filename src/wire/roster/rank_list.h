// Lists of many ranks in few words.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"

namespace trireme::wire {

/// "2", "2 and 5", "0–3, 7 and 9"; after eight parts "…, 12 and 31 others". The ranks are in ascending order.
[[nodiscard]] std::string list_ranks(const std::vector<Rank>& ranks);

/// "rank 2", "ranks 2 and 5".
[[nodiscard]] std::string name_ranks(const std::vector<Rank>& ranks);

}  // namespace trireme::wire
