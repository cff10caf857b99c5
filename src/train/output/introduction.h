// The first lines of a training: who takes part, how they exchange what, and what they compute with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system/blas.h"
#include "base/types.h"
#include "plan/mode.h"
#include "train/output/server_share.h"
#include "train/step_plan.h"

namespace trireme::train {

struct Introduction {
  Rank workers = 1;
  Rank servers = 0;
  std::string connection;  ///< "4 nodes on one host, through shared memory"
  std::string strategy;    ///< as it was asked for: auto, none, or a strategy
  StepPlan plan;
  std::int64_t parameters = 0;
  plan::Mode mode{};
  std::string staleness_rate{};
  std::vector<ServerShare> placement{};
  std::vector<std::string> rules{};  ///< sentences about parameters that are updated in different ways
  int threads = 1;
  bool threads_are_chosen = false;  ///< and not all cores divided among the workers
  int cores = 0;                    ///< of this host; 0: unknown
  Rank nodes_here = 0;              ///< that share them
  std::optional<Blas> blas;         ///< nothing: libtorch brings its own
};

/// The lines, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const Introduction& introduction);

}  // namespace trireme::train
