// Settles with all nodes how gradients are exchanged, before the first round of a training.
#pragma once

#include <trireme/torch.h>

#include <optional>
#include <span>
#include <vector>

#include "api/world_impl.h"
#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "rounds/bucket_runners.h"

namespace trireme::libtorch {

/// The options, if a job of so many nodes can have them; else throws `Error` (bad input).
[[nodiscard]] ExchangeOptions checked(ExchangeOptions options, Rank nodes);

/// The weights are updated by the holders of shares.
[[nodiscard]] bool has_holders(const ExchangeOptions& options);

/// The way to drive the exchange of gradients that is asked for; nothing stands for the fastest.
[[nodiscard]] std::optional<rounds::Drive> drive_of(const ExchangeOptions& options);

/// *Together.* Throws `Error`, on all nodes, where their modules or options differ.
void require_same(WorldAccess::Inside& inside, const ExchangeOptions& options,
                  const std::vector<NamedTensor>& parameters);

/// The plan of the exchange of each bucket.
[[nodiscard]] std::vector<rounds::BucketPlan> plans_of(WorldAccess::Inside& inside,
                                                       const ExchangeOptions& options, Rank workers,
                                                       std::span<const Gradients::Bucket> buckets);

}  // namespace trireme::libtorch
