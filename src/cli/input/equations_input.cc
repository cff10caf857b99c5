#include "cli/input/equations_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/input/csv_file.h"

namespace trireme::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;

// Numbers, or names, with another sign between them: "1;0.5;1", or "1,0;0,5;1" with commas for points.
void require_commas(std::string_view line, std::string_view where) {
  for (const std::string_view cell : split(line, ',')) {
    const std::size_t at = trimmed(cell).find_first_of(";\t");
    if (at == std::string_view::npos) continue;
    throw bad_input(fmt::format("{}: there are {} between the numbers", where,
                                trimmed(cell)[at] == ';' ? "semicolons" : "tabs"),
                    "put commas there, and points before decimals, as in 1,0.1,0.01,1");
  }
}

bool is_header(std::string_view line) {
  const std::vector<std::string_view> cells = split(line, ',');
  return std::any_of(cells.begin(), cells.end(),
                     [](std::string_view cell) { return !cell.empty() && !finite_number(cell); });
}

}  // namespace

std::vector<double> parse_numbers(std::string_view text, std::string_view where) {
  std::vector<double> numbers;
  for (const std::string_view cell : split(text, ',')) {
    const std::optional<double> number = finite_number(cell);
    if (!number) {
      throw bad_input(fmt::format("{}: '{}' is not a number", where, printable(cell)),
                      "give finite numbers with commas between them, such as 1,0.1,0.01");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

optim::Equation parse_equation(std::string_view text) {
  const std::vector<std::string_view> sides = split(text, '=');
  if (sides.size() != 2) {
    throw bad_input(fmt::format("--equation: '{}' is not an equation", printable(text)),
                    "write the coefficients, = and the right side, such as 1,0.1,0.01=1");
  }
  const std::vector<double> right = parse_numbers(sides[1], "--equation");
  if (right.size() != 1) {
    throw bad_input(
        fmt::format("--equation: '{}' has {} numbers behind the =", printable(text), right.size()),
        "give one, such as 1,0.1,0.01=1");
  }
  return {parse_numbers(sides[0], "--equation"), right.front()};
}

std::vector<optim::Equation> parse_equations(std::string_view text, const std::string& path) {
  std::vector<optim::Equation> equations;
  text = without_byte_order_mark(text);
  bool is_first = true;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (trimmed(line).empty()) continue;
    const std::string where = fmt::format("{}, line {}", printable(path), number);
    require_commas(line, where);
    if (std::exchange(is_first, false) && is_header(line)) continue;
    std::vector<double> numbers = parse_numbers(line, where);
    if (numbers.size() < 2) {
      throw bad_input(where + ": there is only one number",
                      "give the coefficients and then the right side: 1,0.1,0.01,1");
    }
    const double right = numbers.back();
    numbers.pop_back();
    equations.push_back({std::move(numbers), right});
    if (equations.size() > optim::LinearSystem::kMostEquations) break;  // the system refuses them
  }
  if (equations.empty()) {
    throw bad_input(printable(path) + ": there is no equation",
                    "give each a line with its coefficients and then the right side: 1,0.1,0.01,1");
  }
  return equations;
}

std::vector<optim::Equation> read_equations(const std::string& path) {
  return parse_equations(read_csv(path, "--system", kMostBytes), path);
}

}  // namespace trireme::cli
