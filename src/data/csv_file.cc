#include "data/csv_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "data/byte_source.h"
#include "data/csv.h"
#include "data/gzip.h"
#include "data/scratch_file.h"

namespace trireme::data {
namespace {

constexpr const char* kFillIn = "fill it in, or take the row out";

using Cells = std::vector<std::string_view>;

ByteSource bytes_of_csv(const std::string& path) {
  ByteSource source = bytes_of_file(path);
  return is_gzip_name(path) ? gunzipped(std::move(source), path) : source;
}

// Also of nan and inf, which are no features, but no header either.
bool is_number(std::string_view cell) {
  cell = without_plus(cell);
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return error != std::errc::invalid_argument && end == cell.data() + cell.size();
}

std::string shown(std::string_view cell) {
  constexpr std::size_t kMost = 40;
  return printable(cell.substr(0, kMost)) + (cell.size() > kMost ? "…" : "");
}

class CsvFile {
 public:
  CsvFile(const CsvSpec& spec, const std::string& path)
      : spec_(spec), path_(path), reader_(bytes_of_csv(path), path) {
    if (!reader_.next(row_)) refuse(" is empty", "give a file with rows");
    first_line_ = reader_.line();
    columns_ = row_.size();
    if (has_header()) names_.assign(row_.begin(), row_.end());
    if (columns_ < 2) refuse(" has 1 column", "give the label and at least one feature, separated by commas");
    label_ = label_column();
    if (!names_.empty() && !next()) refuse(" has a header and no other row", "give a file with samples");
  }

  // The row that was read; the first one is there from the start.
  [[nodiscard]] double label(const LabelKind& kind) const {
    const double label = number(label_);
    const std::string trouble = trouble_of_label(label, kind);
    if (!trouble.empty()) refuse_cell(label_, "the label " + trouble, kGiveClasses);
    return label;
  }
  void features(std::vector<double>& features) const {
    features.clear();
    for (std::size_t column = 0; column < columns_; ++column) {
      if (column != label_) features.push_back(number(column));
    }
  }
  [[nodiscard]] bool next() {
    if (!reader_.next(row_)) return false;
    check_cells();
    return true;
  }

  [[nodiscard]] std::int64_t feature_count() const { return static_cast<std::int64_t>(columns_) - 1; }

  void require_columns_of(const CsvFile& other) const {
    if (columns_ != other.columns_) {
      refuse(fmt::format(" has {}, {} has {}", counted(std::ssize(row_), "column"), other.path_,
                         with_commas(static_cast<std::int64_t>(other.columns_))),
             "give files with the same columns");
    }
    if (names_.empty() || other.names_.empty()) return;
    const auto [here, there] = std::ranges::mismatch(names_, other.names_);
    if (here == names_.end()) return;
    refuse(fmt::format(": column {} is \"{}\", in {} it is \"{}\"", here - names_.begin() + 1, shown(*here),
                       other.path_, shown(*there)),
           "give files with the same columns in the same order");
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const {
    throw bad_input(path_ + what, hint);
  }
  [[noreturn]] void refuse_cell(std::size_t column, const std::string& what, const std::string& hint) const {
    const std::string name = names_.empty() ? "" : fmt::format(" (\"{}\")", shown(names_[column]));
    refuse(fmt::format(": line {}, column {}{}: {}", with_commas(reader_.line()), column + 1, name, what),
           hint);
  }

  [[nodiscard]] bool has_header() const {
    if (spec_.header != CsvHeader::kAuto) return spec_.header == CsvHeader::kTrue;
    return std::ranges::any_of(row_, [](std::string_view cell) { return !cell.empty() && !is_number(cell); });
  }

  [[nodiscard]] std::string columns_in_words() const {
    if (names_.empty()) {
      return fmt::format("there is no header, so give the number of a column, from 1 to {}", columns_);
    }
    constexpr std::size_t kMost = 20;
    std::vector<std::string> some;
    for (std::size_t i = 0; i < std::min(columns_, kMost); ++i) some.push_back('"' + shown(names_[i]) + '"');
    return fmt::format("the columns are {}{}; or give the number of one, from 1 to {}", fmt::join(some, ", "),
                       columns_ > kMost ? ", …" : "", columns_);
  }

  // The name goes before the number: a column may be called 3.
  [[nodiscard]] std::size_t label_column() const {
    if (spec_.label.empty()) {
      throw bad_input(fmt::format("data.label does not say which column of {} holds the labels", path_),
                      columns_in_words());
    }
    const auto found = std::ranges::find(names_, spec_.label);
    if (found != names_.end()) {
      if (std::find(found + 1, names_.end(), spec_.label) != names_.end()) {
        refuse(fmt::format(" has several columns \"{}\"", shown(spec_.label)),
               "give the number of the column");
      }
      return static_cast<std::size_t>(found - names_.begin());
    }
    std::size_t number = 0;
    const char* const last = spec_.label.data() + spec_.label.size();
    const auto [end, error] = std::from_chars(spec_.label.data(), last, number);
    if (error == std::errc{} && end == last && number >= 1 && number <= columns_) return number - 1;
    throw bad_input(fmt::format("{} has no column \"{}\" (data.label)", path_, shown(spec_.label)),
                    columns_in_words());
  }

  void check_cells() const {
    if (row_.size() == columns_) return;
    refuse(fmt::format(": line {} has {}, and line {} has {}", with_commas(reader_.line()),
                       counted(std::ssize(row_), "cell"), first_line_,
                       with_commas(static_cast<std::int64_t>(columns_))),
           "give each row a cell for each column; a comma within a cell needs quotes around the cell");
  }

  [[nodiscard]] double number(std::size_t column) const {
    const std::string_view cell = row_[column];
    if (const std::optional<double> number = finite_number(cell)) return *number;
    if (cell.empty()) refuse_cell(column, "the cell is empty", kFillIn);
    if (is_number(cell))
      refuse_cell(column, fmt::format("'{}' is not a finite number", shown(cell)), kFillIn);
    const bool has_semicolon = cell.find(';') != std::string_view::npos;
    refuse_cell(column, fmt::format("'{}' is not a number", shown(cell)),
                has_semicolon ? "separate cells by commas, and write numbers with a point"
                              : "turn words into numbers, or take the column out");
  }

  const CsvSpec& spec_;
  const std::string& path_;
  CsvReader reader_;
  Cells row_;
  std::size_t columns_ = 0;
  std::vector<std::string> names_;  // empty: there is no header
  std::size_t label_ = 0;
  std::int64_t first_line_ = 1;
};

Dataset read_all(CsvFile& file, const std::string& path, const LabelKind& kind) {
  ScratchFile scratch("the numbers of " + path);
  Dataset dataset;
  std::vector<double> features;
  do {
    dataset.labels.push_back(file.label(kind));
    file.features(features);
    scratch.write(features);
  } while (file.next());
  dataset.samples = std::ssize(dataset.labels);
  dataset.shape = {file.feature_count()};
  dataset.classes = settled(kind, dataset.labels).classes;
  dataset.values = scratch.finish();
  return dataset;
}

}  // namespace

Split load_csv(const CsvSpec& spec) {
  CsvFile train(spec, spec.path);
  std::optional<CsvFile> test;
  if (!spec.test_path.empty()) test.emplace(spec, spec.test_path).require_columns_of(train);
  Split split;
  split.train = read_all(train, spec.path, spec.labels);
  const LabelKind settled_kind{.is_number = spec.labels.is_number, .classes = split.train.classes};
  if (test) split.test = read_all(*test, spec.test_path, settled_kind);
  return split;
}

void look_at_csv(const CsvSpec& spec) {
  CsvFile train(spec, spec.path);
  std::vector<double> features;
  (void)train.label(spec.labels);
  train.features(features);
  if (spec.test_path.empty()) return;
  CsvFile test(spec, spec.test_path);
  test.require_columns_of(train);
  (void)test.label(spec.labels);
  test.features(features);
}

}  // namespace trireme::data
