// The commands of the program: each adds itself to the command line. What goes wrong in one leaves it as an
// `Error`.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace trireme::cli {

/// A script's empty variable is a slip, and not the same as a flag left out: throws `Error`.
void refuse_empty(const CLI::App& command);

void add_explain(CLI::App& program);
void add_train(CLI::App& program);
void add_predict(CLI::App& program);
void add_simulate(CLI::App& program);
void add_bench(CLI::App& program);
void add_doctor(CLI::App& program);
/// `words`: the whole command line, as `main` got it; it stays.
void add_launch(CLI::App& program, std::span<const char* const> words);

}  // namespace trireme::cli
