#include "cli/values_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/text.h"

namespace trireme::cli {
namespace {

class Parser {
 public:
  // `first` is the first word of the header; it says what a line stands for.
  Parser(std::string path, std::string first) : path_(std::move(path)), first_(std::move(first)) {}

  ValuesFile parse(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
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

  // Removes the first line and its end: LF, CR LF or CR.
  static std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(line.size());
    text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
    return line;
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
  std::string first_;
  std::size_t line_ = 0;  // the last line that was not empty
  std::vector<std::string> header_;
  std::set<std::string, std::less<>> names_;
  ValuesFile file_;
};

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::string read_text(const std::string& path, const char* flag) {
  std::error_code unknown;  // opening the file will report the reason
  if (std::filesystem::is_directory(path, unknown)) {
    throw bad_input(fmt::format("{}: {} is a folder", flag, path), "give the path of a CSV file");
  }
  const auto refuse = [&](int error) {
    throw bad_input(fmt::format("{}: cannot read {}: {}", flag, path, std::strerror(error)),
                    "give the path of a CSV file");
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(errno);
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (file) {
    errno = 0;
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (file.bad()) refuse(errno != 0 ? errno : EIO);
    text.append(block.data(), idx(file.gcount()));
    if (text.size() > kMostBytes) {
      throw bad_input(fmt::format("{}: {} is larger than 1 GiB", flag, path), "give a smaller file");
    }
  }
  return text;
}

}  // namespace

ValuesFile parse_values(std::string_view text, const std::string& path) {
  return Parser(path, "worker").parse(text);
}

ValuesFile read_values_file(const std::string& path) {
  return parse_values(read_text(path, "--values"), path);
}

std::vector<double> read_weights_file(const std::string& path) {
  ValuesFile file = Parser(path, "weights").parse(read_text(path, "--weights"));
  if (file.values.size() == 1) return std::move(file.values.front());
  throw bad_input(fmt::format("{} has {} lines after the header", path, file.values.size()),
                  "give one: all workers begin with the same weights");
}

}  // namespace trireme::cli
