// The weights of an asynchronous run beside those of one core, as sums of gradients, and the bound on their
// distance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/events/free_run.h"

namespace trireme::report {

/// "x0 − η(∇f1(x0) + ∇f2(x0) + ∇f3(x1))" for so many updates; the k-th (from 0) has read version `read(k)`. A
/// long sum shows only its beginning and its end.
[[nodiscard]] std::string sum_words(std::int64_t updates,
                                    const std::function<std::int64_t(std::int64_t)>& read);

/// Both sums and the bound, one line each. `sequential` is the number of updates of one core.
[[nodiscard]] std::string bound_words(const std::vector<sim::SimUpdate>& updates, std::int64_t sequential,
                                      std::int64_t bound_eta_delta);

}  // namespace trireme::report
