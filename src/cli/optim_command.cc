// `trireme optim`: where update rules end on linear equations, and the steepest updates for a gradient.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/out_file.h"
#include "base/system/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input/equations_input.h"
#include "cli/scenario_flags.h"
#include "report/exchange_report.h"
#include "report/optim_report.h"

namespace trireme::cli {
namespace {

constexpr std::size_t kMostRules = 12;

constexpr const char* kExamples = R"(
Rules: sgd, momentum, nesterov, adam, signsgd, steepest:l1, steepest:l2,
steepest:linf, steepest:lp=P, epoch-adam, rescaled-sgd

Norms: l1, l2, linf, lp=P for any P above 1

The rules begin at 0 and make the mean of (right side - left side)^2 least, each
step with all equations. Where there are many solutions, the rule decides which
one it ends at: docs/optimizers.md explains why. Without --rate a stable rate is
found. A file has a line for each equation, the right side last, and may begin
with a header.

Examples:
  trireme optim --equation 1,0.1,0.01=1 --rule sgd,epoch-adam,rescaled-sgd
  trireme optim --equation 1,0.5=1 --rule sgd,steepest:l1,steepest:lp=3 --svg ends.svg
  trireme optim --equation 1,1,0=2 --equation 0,1,1=2 --rule sgd --rate 0.1
  trireme optim --system equations.csv --least-squares --json
  trireme optim --gradient 3,-1,2 --alpha 0.1
)";

struct Flags {
  std::vector<std::string> equations;
  std::string system;
  std::string rules = "sgd,epoch-adam,rescaled-sgd";
  std::string rate;
  std::string svg;
  std::string gradient;
  std::string alpha = "1";
  std::string norms = "l1,l2,linf,lp=3";
  bool least_squares = false;
  bool json = false;
};

double parse_above_zero(const std::string& text, std::string_view flag) {
  const std::optional<double> number = finite_number(text);
  if (number && *number > 0 && optim::is_in_range(*number)) return *number;
  throw bad_input(fmt::format("{}: '{}' is not a number between 0 and 1e50", flag, printable(text)),
                  "give one such as 0.1");
}

template <typename Parse>
auto parse_list(const std::string& text, std::string_view flag, Parse parse) {
  std::vector<decltype(parse(std::string_view{}))> all;
  for (const std::string_view word : split(text, ',')) {
    try {
      all.push_back(parse(word));
    } catch (const Error& error) {
      throw bad_input(fmt::format("{}: {}", flag, error.failure().what), error.failure().hint);
    }
  }
  if (all.size() > kMostRules) {
    throw bad_input(fmt::format("{}: {} are too many", flag, all.size()),
                    fmt::format("give at most {}", kMostRules));
  }
  return all;
}

optim::LinearSystem read_system(const Flags& flags) {
  std::vector<optim::Equation> equations;
  equations.reserve(flags.equations.size());
  for (const std::string& text : flags.equations) equations.push_back(parse_equation(text));
  if (flags.system.empty()) return optim::LinearSystem(std::move(equations));
  equations = read_equations(flags.system);
  try {
    return optim::LinearSystem(std::move(equations));
  } catch (const Error& error) {
    throw bad_input(fmt::format("{}: {}", printable(flags.system), error.failure().what),
                    error.failure().hint);
  }
}

void require_solution(const Flags& flags, const optim::Solutions& solutions) {
  if (solutions.exist || flags.least_squares) return;
  throw bad_input("the equations have no solution",
                  "give --least-squares for the point where the mean of the squares is least");
}

void run_rules(const Flags& flags) {
  const auto rules = parse_list(flags.rules, "--rule", optim::parse_descent_rule);
  std::optional<double> rate;
  if (!flags.rate.empty()) rate = parse_above_zero(flags.rate, "--rate");
  const optim::LinearSystem system = read_system(flags);
  if (!flags.svg.empty() && system.unknowns() < 2) {
    throw bad_input("--svg draws two unknowns, and there is only one", "leave it out");
  }
  report::DescentReport report{system, optim::solve(system), {}};
  require_solution(flags, report.solutions);
  for (const optim::DescentRule& rule : rules) {
    report.descents.push_back(optim::descend(system, report.solutions, rule, rate));
    if (report.descents.back().has_converged) continue;
    write_error(fmt::format("trireme optim: {} has not converged after {}\n", optim::name_of(rule),
                            counted(report.descents.back().end().step, "step")));
  }
  if (!flags.svg.empty()) {
    write_file(flags.svg, report::to_svg(report));
    say_written("optim", flags.svg);
  }
  write_output(flags.json ? report::document_text(report::to_json(report)) : report::to_text(report));
}

void show_updates(const Flags& flags) {
  report::UpdatesReport report;
  report.alpha = parse_above_zero(flags.alpha, "--alpha");
  report.gradient = parse_numbers(flags.gradient, "--gradient");
  if (report.gradient.size() > optim::LinearSystem::kMostUnknowns) {
    throw bad_input(
        fmt::format("--gradient: {} are too many", counted(std::ssize(report.gradient), "number")),
        fmt::format("give at most {}", optim::LinearSystem::kMostUnknowns));
  }
  for (const double number : report.gradient) {
    if (optim::is_in_range(number)) continue;
    throw bad_input(fmt::format("--gradient: {} is too large or too small", number),
                    "give 0 or numbers from 1e-50 to 1e50, with any sign");
  }
  for (const optim::VectorNorm& norm : parse_list(flags.norms, "--norm", optim::parse_norm)) {
    report.rows.push_back({norm, optim::steepest_update(norm, report.gradient, report.alpha)});
  }
  write_output(flags.json ? report::document_text(report::to_json(report)) : report::to_text(report));
}

// The flags of equations and those of a gradient do not mix.
void refuse_mixture(const CLI::App& command, std::string_view kind, const std::vector<const char*>& others) {
  for (const char* flag : others) {
    if (command.count(flag) == 0) continue;
    throw bad_input(fmt::format("{} does not go with {}", flag, kind), "leave one of them out");
  }
}

void optimize(const CLI::App& command, const Flags& flags) {
  const bool has_gradient = command.count("--gradient") > 0;
  const bool has_file = command.count("--system") > 0;
  if (!has_gradient && !has_file && flags.equations.empty()) {
    throw bad_input("optim needs --equation, --system or --gradient",
                    "for example: trireme optim --equation 1,0.1,0.01=1");
  }
  if (has_gradient) {
    refuse_mixture(command, "--gradient",
                   {"--equation", "--system", "--rule", "--rate", "--svg", "--least-squares"});
    return show_updates(flags);
  }
  refuse_mixture(command, has_file ? "--system" : "--equation", {"--alpha", "--norm"});
  if (has_file) refuse_mixture(command, "--system", {"--equation"});
  run_rules(flags);
}

}  // namespace

void add_optim(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "optim", "Show where update rules end, and the update of least penalty under a norm");
  const auto option = [&](const char* flag, std::string& value, const char* type, const char* text) {
    command->add_option(flag, value, text)->type_name(type);
  };
  command
      ->add_option("--equation", flags->equations,
                   "coefficients=right side, such as 1,0.1,0.01=1; repeatable")
      ->type_name("LIST=NUMBER")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  option("--system", flags->system, "FILE", "the equations in CSV, the right side last");
  option("--rule", flags->rules, "LIST", "update rules (sgd,epoch-adam,rescaled-sgd)");
  option("--rate", flags->rate, "NUMBER", "learning rate of all rules; alpha of steepest");
  option("--svg", flags->svg, "FILE", "draw the paths of the first two unknowns");
  option("--gradient", flags->gradient, "LIST", "a gradient: show the steepest update under each norm");
  option("--alpha", flags->alpha, "NUMBER", "with --gradient: the weight of the norm is 1/alpha (1)");
  option("--norm", flags->norms, "LIST", "with --gradient: norms (l1,l2,linf,lp=3)");
  command
      ->add_flag("--least-squares", flags->least_squares,
                 "if there is no solution, go where the loss is least")
      ->disable_flag_override();
  command->add_flag("--json", flags->json, "one JSON document instead of text")->disable_flag_override();
  command->footer(kExamples);
  command->callback([command, flags] {
    refuse_empty(*command);
    optimize(*command, *flags);
  });
}

}  // namespace trireme::cli
