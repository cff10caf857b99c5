// The commands of the program: each adds itself to the command line. A command reports failures as `Error`.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace trireme::cli {

/// An empty value, such as an empty variable in a script, is a mistake and not the same as an omitted flag:
/// throws `Error`.
void refuse_empty(const CLI::App& command);

void add_explain(CLI::App& program);
void add_train(CLI::App& program);
void add_predict(CLI::App& program);
void add_simulate(CLI::App& program);
void add_optim(CLI::App& program);
void add_bench(CLI::App& program);
void add_checkpoint(CLI::App& program);
void add_doctor(CLI::App& program);
/// `words` is the whole command line, as `main` got it; it must outlive the program object.
void add_launch(CLI::App& program, std::span<const char* const> words);

}  // namespace trireme::cli
