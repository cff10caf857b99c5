// What is wrong, or could be better, and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/doctor.h"

namespace trireme::cli {

struct Advice {
  std::string what;    ///< "no MPI"
  std::string remedy;  ///< in words, with the command where there is one
};

/// What keeps jobs from running comes first.
[[nodiscard]] std::vector<Advice> advise(const Diagnosis& diagnosis);

}  // namespace trireme::cli
