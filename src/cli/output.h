// Standard output: what the program was asked for, or an error that says why it did not get there.
#pragma once

#include <string_view>

namespace trireme {

/// Writes all of it at once. Throws `std::runtime_error` when that fails: a full disk, a closed file.
void write_output(std::string_view text);

}  // namespace trireme
