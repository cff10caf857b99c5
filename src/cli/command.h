// The commands of the program: each adds itself to the command line. What goes wrong in one leaves it as an
// `Error`.
#pragma once

#include <CLI/CLI.hpp>

namespace trireme {

void add_explain(CLI::App& program);

}  // namespace trireme
