// The threads that workers compute with, and the one that a process may have before it forks.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace trireme::train {

/// As many as were wished for or, for 0, an equal part of the cores for each worker of the host; at least 1.
[[nodiscard]] int threads_of_worker(std::int64_t wish, int cores, Rank workers_on_host);

/// Those of this process.
[[nodiscard]] int running_threads();

/// Before a fork. Some builds of OpenBLAS start a thread for each core when they are loaded, and a forked
/// process has only one thread, whatever the others were at. Where there is more than one the program is
/// started anew in place of this process, with a BLAS that is told to keep to one; that is tried once.
void keep_to_one_thread(char** argv);

/// Tells OpenBLAS, where it is loaded; OpenMP's threads are set by libtorch.
void set_openblas_threads(int threads);

}  // namespace trireme::train
