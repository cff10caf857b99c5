// Linear equations from the command line and from CSV files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "optim/geometry/linear_system.h"

namespace trireme::cli {

/// Numbers with commas between them. Throws `Error` (bad input) that begins with `where` and names the first
/// that is none.
[[nodiscard]] std::vector<double> parse_numbers(std::string_view text, std::string_view where);

/// "1,0.1,0.01=1". Throws `Error` (bad input) that names --equation.
[[nodiscard]] optim::Equation parse_equation(std::string_view text);

/// A file with a line for each equation: its coefficients, then the right side. A first line with a cell that
/// is no number is a header, and left out. Reads up to 16 MiB; throws `Error` (bad input) that names file and
/// line.
[[nodiscard]] std::vector<optim::Equation> read_equations(const std::string& path);

/// The same for the text of a file; `path` is for messages only.
[[nodiscard]] std::vector<optim::Equation> parse_equations(std::string_view text, const std::string& path);

}  // namespace trireme::cli
