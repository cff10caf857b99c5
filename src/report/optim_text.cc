#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "optim/geometry/least_norm.h"
#include "report/optim_report.h"
#include "report/table.h"

namespace trireme::report {
namespace {

using Numbers = std::vector<double>;
using optim::VectorNorm;

constexpr std::size_t kMostColumns = 6;  // unknowns in a table or an equation
constexpr double kTiny = 1e-12;          // below it there is little but rounding

std::string number_words(double number) { return fmt::format("{:.6g}", number); }

// Residuals and differences: the digits of small ones do not matter.
std::string rest_words(double rest) {
  constexpr double kSmall = 1e-6;
  if (rest == 0 || rest >= kSmall) return number_words(rest);
  return rest < kTiny ? fmt::format("<{:g}", kTiny) : fmt::format("{:.2g}", rest);
}

// Each number in words; "0" for what is but a rounding error beside the largest.
std::vector<std::string> words_of(const Numbers& numbers) {
  const double largest = optim::length({VectorNorm::Kind::kLinf}, numbers);
  std::vector<std::string> words;
  for (const double number : numbers) {
    words.push_back(std::abs(number) < kTiny * largest ? "0" : number_words(number));
  }
  return words;
}

std::string vector_words(const Numbers& numbers) {
  const std::vector<std::string> all = words_of(numbers);
  std::string words;
  for (std::size_t i = 0; i < std::min(all.size(), kMostColumns); ++i) words += (i == 0 ? "" : ", ") + all[i];
  return fmt::format("({}{})", words, numbers.size() > kMostColumns ? ", …" : "");
}

// The beginnings of columns for the unknowns, and the cells of one line below them.
void add_names(std::vector<std::string>& cells, std::size_t unknowns) {
  for (std::size_t i = 0; i < std::min(unknowns, kMostColumns); ++i)
    cells.push_back(fmt::format("θ{}", i + 1));
  if (unknowns > kMostColumns) cells.emplace_back("…");
}
void add_numbers(std::vector<std::string>& cells, const Numbers& numbers) {
  const std::vector<std::string> words = words_of(numbers);
  const auto shown = static_cast<std::ptrdiff_t>(std::min(words.size(), kMostColumns));
  cells.insert(cells.end(), words.begin(), words.begin() + shown);
  if (words.size() > kMostColumns) cells.emplace_back("…");
}
std::string alignment_of(std::string before, std::size_t unknowns) {
  return before.append(std::min(unknowns, kMostColumns + 1), 'r');
}

std::string system_words(const DescentReport& report) {
  constexpr std::size_t kMostEquations = 4;
  const optim::LinearSystem& system = report.system;
  std::string text = fmt::format("{}, {}, {}\n", counted(std::ssize(system.equations()), "equation"),
                                 counted(static_cast<std::int64_t>(system.unknowns()), "unknown"),
                                 !report.solutions.exist     ? "no solution: the rules end at least squares"
                                 : report.solutions.are_many ? "many solutions"
                                                             : "one solution");
  for (std::size_t i = 0; i < std::min(system.size(), kMostEquations); ++i) {
    text += fmt::format("  {}\n", equation_words(system.equations()[i]));
  }
  if (system.size() > kMostEquations)
    text += fmt::format("  … and {} more\n", system.size() - kMostEquations);
  return text;
}

// The least norm of all solutions, where it can be solved for.
std::string least_words(const DescentReport& report, const VectorNorm& norm) {
  if (!report.solutions.are_many || norm.kind == VectorNorm::Kind::kL2) {
    return number_words(optim::length(norm, report.solutions.least));
  }
  if (report.system.size() > 1) return "–";
  return number_words(optim::length(norm, optim::least_of_one(report.system.equations().front(), norm)));
}

std::string overview(const DescentReport& report) {
  const std::vector<VectorNorm> norms = {
      {VectorNorm::Kind::kL1}, {VectorNorm::Kind::kL2}, {VectorNorm::Kind::kLinf}};
  Table table("lrrrrrrl");
  table.row({"rule", "rate", "steps", "residual", "l1", "l2", "linf", "has the least"});
  for (const optim::Descent& descent : report.descents) {
    std::vector<std::string> cells = {optim::name_of(descent.rule),
                                      descent.rate ? number_words(*descent.rate) : "searched",
                                      with_commas(descent.end().step), rest_words(descent.end().residual)};
    for (const VectorNorm& norm : norms)
      cells.push_back(number_words(optim::length(norm, descent.end().theta)));
    const std::optional<optim::LeastNorm> least = least_norm_of(report, descent);
    cells.push_back(!descent.has_converged ? "(not converged)" : least ? optim::name_of(*least) : "–");
    table.row(std::move(cells));
  }
  std::vector<std::string> cells = {"least possible", "", "", ""};
  for (const VectorNorm& norm : norms) cells.push_back(least_words(report, norm));
  cells.emplace_back();
  table.row(std::move(cells));
  return table.text();
}

// What the rule promises, and the solution that was solved for.
std::string promise_words(const DescentReport& report, const optim::Descent& descent) {
  if (!descent.has_converged) {
    return fmt::format("has not converged after {}\n", counted(descent.end().step, "step"));
  }
  const std::optional<optim::LeastNorm> least = least_norm_of(report, descent);
  if (!least) return "no norm is promised to be least here\n";
  const Numbers solved = optim::least_solution(report.system, *least);
  const Numbers& reached = descent.end().theta;
  double difference = 0;
  for (std::size_t i = 0; i < solved.size(); ++i) {
    difference = std::max(difference, std::abs(solved[i] - reached[i]));
  }
  return fmt::format(
      "the least {} norm of all solutions, {}\n  solved: {} at {}; the largest difference is {}\n",
      optim::name_of(*least), number_words(optim::length(report.system, *least, reached)),
      number_words(optim::length(report.system, *least, solved)), vector_words(solved),
      rest_words(difference));
}

// The steps 0, 1, 2, 5, 10, … and the last; of long paths only powers of ten.
std::vector<const optim::PathPoint*> some_points(const optim::Descent& descent) {
  constexpr std::int64_t kLong = 1000;
  const std::int64_t last = descent.end().step;
  std::vector<const optim::PathPoint*> some;
  for (const optim::PathPoint& point : descent.path) {
    std::int64_t digit = point.step;
    while (digit > 0 && digit % 10 == 0) digit /= 10;
    const bool is_round = digit <= 1 || (last <= kLong && (digit == 2 || digit == 5));
    if (is_round || point.step == last) some.push_back(&point);
  }
  return some;
}

std::string path_table(const optim::Descent& descent) {
  const std::size_t unknowns = descent.end().theta.size();
  Table table(alignment_of("lrr", unknowns));
  std::vector<std::string> head = {"", "step", "residual"};
  add_names(head, unknowns);
  table.row(std::move(head));
  for (const optim::PathPoint* point : some_points(descent)) {
    std::vector<std::string> cells = {"", with_commas(point->step), rest_words(point->residual)};
    add_numbers(cells, point->theta);
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string equation_words(const optim::Equation& equation) {
  std::string words;
  std::size_t terms = 0;
  for (std::size_t i = 0; i < equation.coefficients.size(); ++i) {
    const double a = equation.coefficients[i];
    if (a == 0) continue;
    if (++terms > kMostColumns) {
      words += " + …";
      break;
    }
    words += words.empty() ? (a < 0 ? "−" : "") : (a < 0 ? " − " : " + ");
    if (std::abs(a) != 1) words += number_words(std::abs(a)) + "·";
    words += fmt::format("θ{}", i + 1);
  }
  return fmt::format("{} = {}", words, number_words(equation.right));
}

std::string to_text(const DescentReport& report) {
  std::string text = system_words(report) + "\n" + overview(report);
  for (const optim::Descent& descent : report.descents) {
    text += fmt::format("\n{}: {}{}", optim::name_of(descent.rule), promise_words(report, descent),
                        path_table(descent));
  }
  return text;
}

std::string to_text(const UpdatesReport& report) {
  std::string text = fmt::format("least gᵀΔθ + (1/α)·‖Δθ‖² for g = {}, α = {}\n\n",
                                 vector_words(report.gradient), number_words(report.alpha));
  Table table(alignment_of("lrr", report.gradient.size()));
  std::vector<std::string> head = {"norm", "dual norm of g", "objective"};
  add_names(head, report.gradient.size());
  for (auto name = head.begin() + 3; name != head.end(); ++name) {
    if (*name != "…") name->insert(0, "Δ");
  }
  table.row(std::move(head));
  for (const UpdatesReport::Row& row : report.rows) {
    std::vector<std::string> cells = {optim::name_of(row.norm), number_words(row.steepest.dual_norm),
                                      number_words(row.steepest.objective)};
    add_numbers(cells, row.steepest.update);
    table.row(std::move(cells));
  }
  return text + table.text();
}

}  // namespace trireme::report
