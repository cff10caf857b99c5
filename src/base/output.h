// Standard output, for what the program was asked for, and standard error, for what it has to say about that.
// A reader who has left ends neither the program nor its work.
#pragma once

#include <string_view>

namespace trireme {

/// Writes all of it to standard output at once. A reader who has left wants no more of it: no error. Throws
/// `std::runtime_error` when anything else fails: a full disk, a closed file.
void write_output(std::string_view text);

/// Writes all of it to standard error at once. Where that fails nobody can be told, so nothing happens.
void write_error(std::string_view text);

}  // namespace trireme
