// Whether all nodes train the same parameters, and if not, in which they differ.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "libtorch/module_tensors.h"
#include "wire/wire.h"

namespace trireme::libtorch {

/// Names, shapes and types of a node's parameters, and which are frozen: equal texts stand for equal
/// parameters.
[[nodiscard]] std::string list_of(const std::vector<NamedTensor>& parameters);

/// *Together*, by nodes whose lists differ; `lengths` are those of all lists, by rank. The error names the
/// first parameter that is not the same on all nodes: "2.weight is [4, 4] Float on rank 0 and [5, 4] Float on
/// rank 1". Throws like `wire::share_notes`.
[[nodiscard]] Error difference_of_lists(wire::Wire& wire, const std::string& own,
                                        std::span<const std::uint64_t> lengths, const Deadline& deadline);

}  // namespace trireme::libtorch
