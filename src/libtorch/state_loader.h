// Loads what `StateSaver` has saved, on as many nodes as there are now and however they divide it.
#pragma once

#include <filesystem>
#include <optional>

#include "api/world_impl.h"
#include "checkpoint/saved.h"
#include "libtorch/state_saver.h"

namespace trireme::libtorch {

struct LoadRequest {
  std::filesystem::path folder;  ///< a run's, or one checkpoint's
  bool verify = true;            ///< compares all sums first
  bool may_be_new = false;       ///< a run without any checkpoint is fine
};

/// *Together*, servers too: all take the checkpoint that the leader's request names. The weights come from
/// the leader; all else from the files, which each node sees. A worker that there was not when it was saved
/// keeps its random generator. Returns nothing where the run is new. Throws `Error` (bad input), on all
/// nodes, when a node does not see the checkpoint, or it is of another model.
[[nodiscard]] std::optional<checkpoint::Saved> load(WorldAccess::Inside& inside, Rank leader, Rank workers,
                                                    const LoadRequest* request,
                                                    const StateSaver::Holdings& holdings);

}  // namespace trireme::libtorch
