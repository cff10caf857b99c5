// The program `trireme`: finds the command, runs it, and turns what went wrong into one sentence and an exit
// code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"

namespace trireme {
namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;

constexpr const char* kAbout =
    R"(Trireme trains neural networks on many workers, and says beforehand what it will cost.
)";

constexpr const char* kExamples = R"(
Examples:
  trireme explain ring --workers 4 --parameters 1000
  trireme explain --all --workers 8 --parameters 25000000
  trireme explain --help
)";

void complain(const std::string& text) { fmt::print(stderr, "trireme: {}\n", text); }

std::string_view nearest_of(std::string_view typed, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return nearest(typed, views);
}

std::string unknown_argument(const CLI::App& program, const std::string& argument) {
  const bool is_flag = argument.starts_with('-');
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  std::vector<std::string> known;
  if (is_flag) {
    for (const CLI::Option* option : (chosen.empty() ? &program : chosen[0])->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
  }
  const std::string_view best = nearest_of(argument.substr(0, argument.find('=')), known);
  const std::string what = is_flag ? "flag" : chosen.empty() ? "command" : "argument";
  return fmt::format("unknown {} '{}'; {}", what, argument,
                     best.empty() ? "see trireme --help" : fmt::format("did you mean {}?", best));
}

int refuse(const CLI::App& program, const CLI::ParseError& error) {
  if (const auto extras = program.remaining(/*recurse=*/true); !extras.empty()) {
    complain(unknown_argument(program, extras.front()));
    if (program.get_subcommands().empty()) fmt::print(stderr, "\n{}", program.help());
  } else {
    std::string text = error.what();
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    complain(text + "; see --help");
  }
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App program(kAbout, "trireme");
  program.set_version_flag("--version", "trireme " TRIREME_VERSION);
  program.footer(kExamples);
  add_explain(program);
  program.require_subcommand(0, 1);
  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return kBadInput;
  }
  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& wish) {  // --help and --version
    return program.exit(wish);
  } catch (const CLI::ParseError& error) {
    return refuse(program, error);
  }
}

}  // namespace
}  // namespace trireme

int main(int argc, char** argv) {
  try {
    return trireme::run(argc, argv);
  } catch (const trireme::Error& error) {
    trireme::complain(error.what());
    return error.failure().cause == trireme::Failure::Cause::kBadInput ? trireme::kBadInput
                                                                       : trireme::kFailed;
  } catch (const std::bad_alloc&) {
    std::fputs("trireme: there is not enough memory for this; try fewer workers or parameters\n", stderr);
    return trireme::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trireme: %s\n", error.what());
    return trireme::kFailed;
  }
}
