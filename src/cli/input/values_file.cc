#include "cli/input/values_file.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "cli/input/csv_file.h"

namespace trireme::cli {
namespace {

class Parser {
 public:
  // `first` is the first word of the header; it says what a line stands for.
  Parser(std::string path, std::string first) : path_(std::move(path)), first_(std::move(first)) {}

  ValuesFile parse(std::string_view text) {
    text = without_byte_order_mark(text);
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::string_view line = take_line(text);
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      line_ = number;
      take(cells_of(line));
    }
    if (header_.empty()) {
      throw bad_input(path_ + ": the file is empty", fmt::format("begin it with a header: {},v0,v1", first_));
    }
    if (file_.workers.empty()) refuse_header_alone();
    file_.columns.assign(header_.begin() + 1, header_.end());
    return std::move(file_);
  }

 private:
  // Columns are cells counted from 1; 0 means the whole line.
  [[noreturn]] void fail(std::size_t column, const std::string& what, const std::string& hint) const {
    std::string where = fmt::format("{}, line {}", path_, line_);
    if (column > 0) where += fmt::format(", column {}", column);
    throw bad_input(where + ": " + what, hint);
  }

  [[noreturn]] void refuse_header_alone() const {
    const bool is_of_workers = first_ == "worker";
    fail(0, "the file ends after its header",
         is_of_workers
             ? "add a line for each worker, with a value for each column: A,17,11"
             : "add a line with a value for each column, so that the file reads weights,v0,v1 and then "
               "w,0.5,-1");
  }

  [[nodiscard]] std::vector<std::string_view> cells_of(std::string_view line) const {
    std::vector<std::string_view> cells = split(line, ',');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string shown = printable(cells[i]);
      if (shown == cells[i]) continue;
      fail(i + 1, fmt::format("'{}' holds a control character or is not UTF-8", shown),
           "save the file as plain UTF-8 text");
    }
    return cells;
  }

  void take(const std::vector<std::string_view>& cells) {
    if (header_.empty()) {
      take_header(cells);
    } else {
      take_worker(cells);
    }
  }

  void take_header(const std::vector<std::string_view>& cells) {
    header_.assign(cells.begin(), cells.end());
    if (header_[0] != first_)
      fail(1, fmt::format("the header begins with '{}'", header_[0]), "begin it with: " + first_);
    for (std::size_t i = 1; i < header_.size(); ++i) {
      if (header_[i].empty())
        fail(i + 1, "the column has no name", "name it, for example v" + std::to_string(i - 1));
    }
  }

  void take_worker(const std::vector<std::string_view>& cells) {
    if (cells.size() != header_.size()) {
      fail(std::min(cells.size(), header_.size()) + 1,
           fmt::format("the line has {}, the header has {}",
                       counted(static_cast<std::int64_t>(cells.size()), "cell"), header_.size()),
           cells.size() > header_.size() ? "take the extra cells away"
                                         : "give every worker a value for each column");
    }
    if (cells[0].empty()) fail(1, "the worker has no name", "give it one");
    if (!names_.emplace(cells[0]).second) {
      fail(1, fmt::format("worker {} appears twice", cells[0]), "give each worker one line");
    }
    file_.workers.emplace_back(cells[0]);
    std::vector<double>& row = file_.values.emplace_back();
    for (std::size_t i = 1; i < cells.size(); ++i) row.push_back(number(cells[i], i));
  }

  [[nodiscard]] double number(std::string_view cell, std::size_t i) const {
    if (cell.empty()) fail(i + 1, fmt::format("the value of {} is missing", header_[i]), "give a number");
    if (const std::optional<double> value = finite_number(cell)) return *value;
    fail(i + 1, fmt::format("'{}' is not a number that can be added up", cell),
         "give a finite number such as 17 or -0.5");
  }

  std::string path_;
  std::string first_;
  std::size_t line_ = 0;  // the last line that was not empty
  std::vector<std::string> header_;
  std::set<std::string, std::less<>> names_;
  ValuesFile file_;
};

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

ValuesFile parse_values(std::string_view text, const std::string& path) {
  return Parser(path, "worker").parse(text);
}

ValuesFile read_values_file(const std::string& path) {
  return parse_values(read_csv(path, "--values", kMostBytes), path);
}

std::vector<double> read_weights_file(const std::string& path) {
  ValuesFile file = Parser(path, "weights").parse(read_csv(path, "--weights", kMostBytes));
  if (file.values.size() == 1) return std::move(file.values.front());
  throw bad_input(fmt::format("{} has {} lines after the header", path, file.values.size()),
                  "give one: all workers begin with the same weights");
}

}  // namespace trireme::cli
