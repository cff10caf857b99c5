// Standard output, for the results that the user asked for, and standard error, for messages about them. When
// the reader of either closes it, the program and its work go on.
#pragma once

#include <mutex>
#include <string_view>

#include "base/system/fd.h"

namespace trireme {

/// Writes the whole text to standard output at once. It is no error if the reader has closed the stream.
/// Throws `std::runtime_error` on any other failure, such as a full disk or a closed file.
void write_output(std::string_view text);

/// From now on, everything that this process writes here also goes to `log`, as far as `log` accepts it.
void keep_output(Fd log);

/// Writes the whole text to standard error at once. A failure is ignored: there is nobody to report it to.
void write_error(std::string_view text);

/// While the calling thread holds this, it alone writes here; other threads wait. For a process that ends
/// while its threads run: they cannot write after its last words.
[[nodiscard]] std::unique_lock<std::recursive_mutex> hold_output();

}  // namespace trireme
