// Which server holds what of the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "plan/plan.h"
#include "rounds/bucket_layout.h"

namespace trireme::server {

/// A part of a variable, all of which lies in one share.
struct SharePart {
  std::size_t variable = 0;  ///< its number, in the order of registration
  std::int64_t first = 0;    ///< element of the variable
  std::int64_t place = 0;    ///< element of the share
  std::int64_t count = 0;
  bool is_whole = true;  ///< the variable is not cut
};

struct Share {
  std::int64_t elements = 0;
  std::vector<SharePart> parts;  ///< one after the other, without gaps

  [[nodiscard]] bool empty() const { return elements == 0; }
};

/// All weights of a model, cut into one share for each dedicated server.
struct Placement {
  /// One worker's update: it pushes its gradient to all servers, which answer with weights.
  plan::PlanSpec update{};
  std::vector<Share> shares;   ///< by server
  std::int32_t dispenser = 0;  ///< the first server whose share is not empty: it hands out mini-batches

  [[nodiscard]] std::int32_t busiest() const;
};

/// By bytes, with borders at those of variables where one is near. With `whole_variables` none is cut, and
/// shares may be empty. All variables lie in the one bucket.
[[nodiscard]] Placement place(const rounds::BucketLayout& bucket, std::int32_t servers, bool whole_variables);

}  // namespace trireme::server
