// Shared by the tests of kernels that are compiled once per instruction set.
#pragma once

#include <hwy/highway.h>

#include <cstdint>

namespace trireme::optim {

/// Calls `body()` with each instruction set that this processor has, and with the best one afterwards.
template <typename Body>
void with_each_target(Body body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace trireme::optim
