// Reads the contribution of each worker from a CSV file: a header `worker,v0,v1,…`, then one line for each
// worker. Cells are UTF-8 without quotes; lines end as on Unix, Windows or old Macs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/explain/narrative.h"

namespace trireme::cli {

struct ValuesFile {
  std::vector<std::string> columns;  ///< the names of the values
  std::vector<std::string> workers;
  plan::Values values;
};

/// Reads files of up to 1 GiB. Throws `Error` that names file, line and column and says what is right.
[[nodiscard]] ValuesFile read_values_file(const std::string& path);

/// The weights that all workers begin with, from a file of the same form: a header `weights,v0,v1,…`, then
/// one line, which begins with a name.
[[nodiscard]] std::vector<double> read_weights_file(const std::string& path);

/// The same for the text of a file; `path` is for messages only.
[[nodiscard]] ValuesFile parse_values(std::string_view text, const std::string& path);

}  // namespace trireme::cli
