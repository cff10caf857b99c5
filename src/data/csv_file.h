// Data sets in csv files: one sample on a line, with its label in one of the columns and features in all
// others.
#pragma once

#include <cstdint>
#include <string>

#include "data/dataset.h"
#include "data/labels.h"

namespace trireme::data {

enum class CsvHeader : std::uint8_t {
  kAuto,   ///< the first row is a header if it has a cell that is neither empty nor a number
  kTrue,   ///< it is one
  kFalse,  ///< it is a sample
};

struct CsvSpec {
  std::string path;         ///< read through gzip if it ends in .gz
  std::string test_path{};  ///< empty: the test's part is empty
  std::string label;        ///< the column: its name in the header, or else its number; the first is 1
  CsvHeader header = CsvHeader::kAuto;
  LabelKind labels{};
};

/// Reads the file once: features go to a temporary file as doubles (scratch_file.h), from which they are
/// mapped. Throws `Error` (bad input) that names file, line and column at the first cell that is missing or
/// no finite number and at the first wrong label; likewise if a row has more or fewer cells than the first,
/// there is no such column, there are no rows, or the columns of the two files differ.
[[nodiscard]] Split load_csv(const CsvSpec& spec);

/// Throws the same as far as the first row of each file tells.
void look_at_csv(const CsvSpec& spec);

}  // namespace trireme::data
