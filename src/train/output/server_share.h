// What a dedicated server holds, for the first lines of a training and its summary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "plan/plan.h"
#include "report/exchange_report.h"
#include "rounds/bucket_layout.h"

namespace trireme::train {

struct ServerShare {
  Rank rank = 0;
  std::int64_t elements = 0;
  std::vector<std::string> variables{};  ///< "0.weight", or "0.weight[0:1568]" where it is cut

  [[nodiscard]] std::int64_t bytes() const { return elements * static_cast<std::int64_t>(sizeof(float)); }
};

/// By server. `buckets` and their plans by the same index; names by the number of the parameter.
[[nodiscard]] std::vector<ServerShare> shares_of(std::span<const plan::PlanSpec> plans,
                                                 std::span<const rounds::BucketLayout> buckets,
                                                 const std::vector<std::string>& names, Rank workers);

/// A line for each server.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<ServerShare>& shares);
[[nodiscard]] report::Json to_json(const std::vector<ServerShare>& shares);

}  // namespace trireme::train
