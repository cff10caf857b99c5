// Programs that nodes run: found before anything starts, and then exec'd.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/types.h"

namespace trireme::launch {

/// Runs as one node, in its own process, and returns its exit status.
using NodeBody = std::function<int(Rank)>;

/// A program that could not be exec'd. `run_job` carries it from the node's process to its caller.
class ExecError : public Error {
  using Error::Error;
};

/// The file that a shell would run: as it is when it has a '/', else searched in PATH. Throws `Error` (bad
/// input) that says what is wrong with it and what to do.
[[nodiscard]] std::string find_program(const std::string& name);

/// Runs a program in place of the node's process. It is found at once, as by `find_program`; `argv` begins
/// with its name. When it cannot be exec'd the body throws `ExecError`.
[[nodiscard]] NodeBody program(std::vector<std::string> argv);

}  // namespace trireme::launch
