// The rows of a csv file: cells between commas, one row on a line. Cells may stand in double quotes, with ""
// for a quote, and then hold commas and line breaks. Lines end with \n or \r\n; a byte order mark at the
// beginning and empty lines are skipped; spaces around a cell do not belong to it (RFC 4180, and what
// programs write besides).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace trireme::data {

class CsvReader {
 public:
  /// The name is for messages.
  CsvReader(ByteSource source, std::string name);

  /// Reads the next row into cells that live until the next call; false at the end. Throws `Error` (bad
  /// input) that names file and line if a quote is not closed or something follows it, a row is longer than
  /// `kMostRowBytes` or has more than `kMostCells` cells, or the file holds bytes that no text has.
  [[nodiscard]] bool next(std::vector<std::string_view>& cells);

  /// Where the row begins that was read last; the first line is 1.
  [[nodiscard]] std::int64_t line() const { return line_; }

  static constexpr std::size_t kMostRowBytes = std::size_t{1} << 26;
  static constexpr std::size_t kMostCells = std::size_t{1} << 22;

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const;
  [[nodiscard]] bool refill();
  void skip_byte_order_mark();
  [[nodiscard]] std::size_t end_of_row();
  void split(std::span<char> row, std::vector<std::string_view>& cells) const;
  [[nodiscard]] std::string_view unquoted(std::span<char> row, std::size_t& at) const;

  ByteSource source_;
  std::string name_;
  std::vector<char> text_;  // that was read, from `begin_` to `end_`
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;  // of the source
  bool started_ = false;
  std::int64_t line_ = 0;
  std::int64_t lines_read_ = 0;
};

}  // namespace trireme::data
