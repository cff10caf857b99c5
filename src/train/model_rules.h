// Which rule updates which parameter of the model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/model_shape.h"
#include "train/train_config.h"

namespace trireme::train {

/// By parameter, with the rate that the schedule starts from. Throws `Error` (bad input) when a group matches
/// no parameter.
[[nodiscard]] std::vector<RuleSpec> rules_of(const TrainConfig& config, std::span<const ModelTensor> tensors);

/// How many parameters have a rule with a norm of the whole model.
[[nodiscard]] std::int64_t measured_tensors(const TrainConfig& config, std::span<const ModelTensor> tensors);

/// Sentences where parameters differ: what a rule does with parameters that are no matrices, and what each
/// group holds for.
[[nodiscard]] std::vector<std::string> say_rules(const TrainConfig& config,
                                                 std::span<const ModelTensor> tensors);

}  // namespace trireme::train
