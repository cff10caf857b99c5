#include "wire/mpi/mpi_launcher.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace trireme::wire::mpi {
namespace {

struct Mark {
  const char* variable;
  const char* launcher;
};

// The most likely direct launcher of this process comes first: srun may have started an mpirun.
constexpr std::array kMarks = {
    Mark{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
    Mark{"PMI_SIZE", "the mpirun of another MPI (MPICH?)"},
    Mark{"SLURM_STEP_NUM_TASKS", "srun"},
};

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 1) return std::nullopt;
  return value;
}

}  // namespace

std::optional<LaunchedAs> mpi_launcher() {
  for (const Mark& mark : kMarks) {
    if (const std::optional<int> processes = number(std::getenv(mark.variable))) {
      return LaunchedAs{*processes, mark.launcher};
    }
  }
  return std::nullopt;
}

}  // namespace trireme::wire::mpi
