// Problems and possible improvements, with a remedy for each.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/doctor.h"

namespace trireme::cli {

struct Advice {
  std::string what;    ///< "no MPI"
  std::string remedy;  ///< in words, with a command if there is one
};

/// Problems that keep jobs from running come first.
[[nodiscard]] std::vector<Advice> advise(const Diagnosis& diagnosis);

}  // namespace trireme::cli
