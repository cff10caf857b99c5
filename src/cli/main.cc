// The program `trireme`: finds the command, runs it, and turns a failure into one sentence and an exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/fd.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "world/unknown_variables.h"

namespace trireme::cli {
namespace {

constexpr const char* kAbout =
    R"(Train on many workers; explain, count, verify, predict and time their exchanges.
)";

constexpr const char* kExamples = R"(
Examples:
  trireme explain ring --workers 4 --parameters 1000
  trireme explain --all --workers 8 --parameters 25000000
  trireme train --workers 4
  trireme launch -n 4 ./train --epochs 3
  trireme predict examples/planning/cluster_16x10GbE.toml
  trireme simulate examples/planning/async_updates.toml
  trireme optim --equation 1,0.1,0.01=1
  trireme bench allreduce --workers 4
  trireme checkpoint show runs/first
  trireme doctor
  trireme explain --help
)";

void complain(const std::string& text) { write_error(fmt::format("trireme: {}\n", text)); }

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string name_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? "trireme" : "trireme " + app.get_name();
}

bool knows(const CLI::App& app, const std::string& flag) { return app.get_option_no_throw(flag) != nullptr; }

// A known word that the user may have meant, or where to find one.
std::string suggestion(const CLI::App& app, std::string_view typed, const std::vector<std::string>& known,
                       std::string_view prefix) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view best = nearest(typed, views);
  return best.empty() ? fmt::format("see {} --help", name_of(app))
                      : fmt::format("did you mean {}{}?", prefix, best);
}

// The commands that have this flag.
std::vector<const CLI::App*> owners_of(const CLI::App& program, const std::string& flag) {
  std::vector<const CLI::App*> owners = commands_of(program);
  std::erase_if(owners, [&](const CLI::App* command) { return !knows(*command, flag); });
  return owners;
}

std::string unknown_flag(const CLI::App& app, const std::string& flag) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  const std::string typed = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  return fmt::format("unknown flag '{}'; {}", flag, suggestion(app, typed, known, "--"));
}

std::string unknown_command(const CLI::App& program, const std::string& typed) {
  std::vector<std::string> known;
  for (const CLI::App* command : commands_of(program)) known.push_back(command->get_name());
  return fmt::format("unknown command '{}'; {}", typed, suggestion(program, typed, known, ""));
}

// An argument before the command, or instead of one.
std::string misplaced(const CLI::App& program, const std::string& argument) {
  if (!argument.starts_with('-')) {
    if (program.get_subcommands().empty()) return unknown_command(program, argument);
    return fmt::format("unknown argument '{}'; see trireme --help", argument);
  }
  const std::string flag = argument.substr(0, argument.find('='));
  const std::vector<const CLI::App*> owners = owners_of(program, flag);
  if (owners.empty()) return unknown_flag(program, flag);
  return fmt::format("{0} belongs after the command: {1} … {0}", flag, name_of(*owners.front()));
}

std::string unexpected(const CLI::App& program) {
  if (const auto before = program.remaining(); !before.empty()) return misplaced(program, before.front());
  const CLI::App& command = *program.get_subcommands().front();
  const std::string argument = command.remaining().front();
  if (argument.starts_with('-')) {
    const std::string flag = argument.substr(0, argument.find('='));
    const std::vector<const CLI::App*> owners = owners_of(program, flag);
    if (owners.size() != 1) return unknown_flag(command, flag);
    return fmt::format("unknown flag '{}'; {} has it", flag, name_of(*owners.front()));
  }
  return fmt::format("unknown argument '{}'; see {} --help", argument, name_of(command));
}

// A flag with too many or too few values. The first word of the error is the flag, sometimes without dashes.
std::string mismatched(const CLI::App& app, const CLI::ParseError& error) {
  const std::string_view text = error.what();
  const std::string_view word = text.substr(0, text.find_first_of(": "));
  for (const CLI::Option* option : app.get_options()) {
    const std::string flag = option->get_name();
    if (word != flag && "--" + std::string(word) != flag) continue;
    if (option->get_positional()) return fmt::format("{} is missing; see {} --help", flag, name_of(app));
    if (option->get_items_expected_max() == 0) return flag + " takes no value";
    if (option->results().size() > 1) return flag + " is given twice; give it once";
    return fmt::format("{} needs a {} after it; see {} --help", flag, option->get_type_name(), name_of(app));
  }
  return fmt::format("{}; see {} --help", text, name_of(app));
}

int refuse(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    complain(unexpected(program));
  } else {
    complain(mismatched(chosen.empty() ? program : *chosen.front(), error));
  }
  if (chosen.empty()) write_error("\n" + program.help());
  return kExitBadInput;
}

// `trireme help COMMAND` means `trireme COMMAND --help`.
std::vector<char*> words_of(int argc, char** argv) {
  static char help_flag[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.resize(std::min<std::size_t>(words.size(), 2));
  words.push_back(help_flag);
  return words;
}

int run(int argc, char** argv) {
  for (const std::string& sentence : world::unknown_variables(environ)) complain(sentence);
  CLI::App program(kAbout, "trireme");
  program.set_version_flag("--version", std::string("trireme ") + version());
  program.footer(kExamples);
  add_explain(program);
  add_train(program);
  add_predict(program);
  add_simulate(program);
  add_optim(program);
  add_bench(program);
  add_checkpoint(program);
  add_doctor(program);
  add_launch(program, {argv, static_cast<std::size_t>(argc)});
  program.require_subcommand(0, 1);
  std::vector<char*> words = words_of(argc, argv);
  try {
    program.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& wish) {  // --help and --version
    if (!program.remaining().empty()) return refuse(program, CLI::ExtrasError(program.remaining()));
    std::ostringstream text;
    program.exit(wish, text, text);
    write_output(text.str());
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    return refuse(program, error);
  }
  if (!program.get_subcommands().empty()) return kExitDone;
  write_error(program.help());
  return kExitBadInput;
}

}  // namespace
}  // namespace trireme::cli

int main(int argc, char** argv) {
  trireme::occupy_standard_streams();
  try {
    return trireme::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    trireme::write_error("trireme: there is not enough memory for this; try fewer workers or parameters\n");
    return trireme::kExitFailed;
  } catch (const std::exception& error) {
    trireme::cli::complain(error.what());
    return trireme::exit_status_of(trireme::failure_of(error));
  }
}
