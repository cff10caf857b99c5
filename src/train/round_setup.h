// What all nodes settle before the first round of a training.
#pragma once

#include <trireme/torch.h>

#include <vector>

#include "api/world_impl.h"
#include "server/bucket_exchange.h"
#include "train/gradients.h"
#include "train/module_tensors.h"

namespace trireme {

/// The options, if a job of so many nodes can have them; else throws `Error` (bad input).
[[nodiscard]] ExchangeOptions checked(ExchangeOptions options, Rank nodes);

/// *Together.* Throws `Error`, on all nodes, where their modules or options differ.
void require_same(WorldAccess::Inside& inside, const ExchangeOptions& options,
                  const std::vector<NamedTensor>& parameters);

/// How each bucket is exchanged.
[[nodiscard]] std::vector<BucketPlan> plans_of(WorldAccess::Inside& inside, const ExchangeOptions& options,
                                               Rank workers, const Gradients& gradients);

}  // namespace trireme
