// The threads that workers compute with, and the one that a process may have before it forks.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace trireme::train {

/// The threads of one worker: as many as asked for or, for 0, its equal part of the cores of the host; at
/// least 1.
[[nodiscard]] int threads_of_worker(std::int64_t wish, int cores, Rank workers_on_host);

/// The number of threads of this process.
[[nodiscard]] int running_threads();

/// Call it before a fork. Some builds of OpenBLAS start a thread for each core when they are loaded, and a
/// forked process has only one thread, whatever the others were doing. If there is more than one thread, this
/// starts the program anew in place of this process, with a BLAS that is told to keep to one; it tries that
/// once.
void keep_to_one_thread(char** argv);

/// Tells OpenBLAS, if it is loaded; libtorch sets the threads of OpenMP.
void set_openblas_threads(int threads);

}  // namespace trireme::train
