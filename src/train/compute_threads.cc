#include "train/compute_threads.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/system/output.h"

namespace trireme::train {
namespace {

// Set in a program that was started anew.
constexpr const char* kStartedAnew = "TRIREME_TRAIN_ONE_THREAD";

}  // namespace

int threads_of_worker(std::int64_t wish, int cores, Rank workers_on_host) {
  if (wish > 0) return static_cast<int>(wish);
  return std::max(1, cores / std::max(1, workers_on_host));
}

int running_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

void keep_to_one_thread(char** argv) {
  if (running_threads() == 1) return;
  if (::getenv(kStartedAnew) == nullptr) {
    ::setenv(kStartedAnew, "1", 1);
    for (const char* variable : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
      ::setenv(variable, "1", 1);
    }
    ::execv("/proc/self/exe", argv);
  }
  write_error(
      "trireme train: a library has started threads that workers will not have; if they hang, start "
      "them with trireme launch\n");
}

void set_openblas_threads(int threads) {
  using Set = void (*)(int);
  void* symbol = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (symbol != nullptr) reinterpret_cast<Set>(symbol)(threads);
}

}  // namespace trireme::train
