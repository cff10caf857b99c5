// A table for the terminal with aligned columns, also with letters outside ASCII.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trireme::report {

class Table {
 public:
  /// `alignment`: 'l' or 'r' for each column.
  explicit Table(std::string_view alignment) : alignment_(alignment) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Columns are two spaces apart; lines have no trailing spaces.
  [[nodiscard]] std::string text() const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace trireme::report
