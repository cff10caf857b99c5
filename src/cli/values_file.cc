#include "cli/values_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/text.h"

namespace trireme {
namespace {

class Parser {
 public:
  explicit Parser(std::string path) : path_(std::move(path)) {}

  ValuesFile parse(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      ++line_;
      if (line.empty()) continue;
      if (header_.empty()) {
        take_header(line);
      } else {
        take_worker(line);
      }
    }
    if (header_.empty()) fail(0, "the file is empty", "begin it with a header: worker,v0,v1");
    if (file_.workers.empty()) fail(0, "there is no worker after the header", "add a line for each: A,17,11");
    return std::move(file_);
  }

 private:
  // Columns are counted from 1, in cells; 0 stands for the whole line.
  [[noreturn]] void fail(std::size_t column, const std::string& what, const std::string& hint) const {
    std::string where = fmt::format("{}, line {}", path_, std::max<std::size_t>(line_, 1));
    if (column > 0) where += fmt::format(", column {}", column);
    throw bad_input(where + ": " + what, hint);
  }

  void take_header(std::string_view line) {
    for (const std::string_view name : split(line, ',')) header_.emplace_back(name);
    if (header_[0] != "worker")
      fail(1, fmt::format("the header begins with '{}'", header_[0]), "begin it with: worker");
    for (std::size_t i = 1; i < header_.size(); ++i) {
      if (header_[i].empty())
        fail(i + 1, "the column has no name", "name it, for example v" + std::to_string(i - 1));
    }
  }

  void take_worker(std::string_view line) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != header_.size()) {
      fail(std::min(cells.size(), header_.size()) + 1,
           fmt::format("the line has {}, the header has {}",
                       counted(static_cast<std::int64_t>(cells.size()), "cell"), header_.size()),
           "give every worker a value for each column");
    }
    if (cells[0].empty()) fail(1, "the worker has no name", "give it one");
    if (!names_.emplace(cells[0]).second) {
      fail(1, fmt::format("worker {} stands twice", cells[0]), "give each worker one line");
    }
    file_.workers.emplace_back(cells[0]);
    std::vector<double>& row = file_.values.emplace_back();
    for (std::size_t i = 1; i < cells.size(); ++i) row.push_back(number(cells[i], i));
  }

  [[nodiscard]] double number(std::string_view cell, std::size_t i) const {
    if (cell.empty()) fail(i + 1, fmt::format("the value of {} is missing", header_[i]), "give a number");
    const std::string_view digits = without_plus(cell);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = end == digits.data() + digits.size() && error == std::errc{};
    if (!whole || !std::isfinite(value)) {
      fail(i + 1, fmt::format("'{}' is not a number that can be added up", cell),
           "give a finite number such as 17 or -0.5");
    }
    return value;
  }

  std::string path_;
  std::size_t line_ = 0;
  std::vector<std::string> header_;
  std::set<std::string, std::less<>> names_;
  ValuesFile file_;
};

}  // namespace

ValuesFile parse_values(std::string_view text, const std::string& path) { return Parser(path).parse(text); }

ValuesFile read_values_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw bad_input(fmt::format("--values: {} is a folder", path), "give the path of a CSV file");
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file) {
    throw bad_input(fmt::format("--values: cannot read {}: {}", path, std::strerror(errno)),
                    "give the path of a CSV file");
  }
  text << file.rdbuf();
  return parse_values(text.str(), path);
}

}  // namespace trireme
