// Standard output, for what the program was asked for, and standard error, for what it has to say about that.
// A reader who has left ends neither the program nor its work.
#pragma once

#include <string_view>

#include "base/fd.h"

namespace trireme {

/// Writes all of it to standard output at once. A reader who has left wants no more of it: no error. Throws
/// `std::runtime_error` when anything else fails: a full disk, a closed file.
void write_output(std::string_view text);

/// From now on all that this process writes here also goes to a log of its own, as far as that takes it.
void keep_output(Fd log);

/// Writes all of it to standard error at once. Where that fails nobody can be told, so nothing happens.
void write_error(std::string_view text);

}  // namespace trireme
