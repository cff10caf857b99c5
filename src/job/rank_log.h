// The log of a node that another launcher has started: whatever it prints goes there, too.
#pragma once

#include <filesystem>

#include "base/types.h"

namespace trireme {

/// From now on standard output and error of this process also go to rank-N.log in the folder, by way of a
/// process of their own: so the last words of one that is killed arrive. A log that takes no more does not
/// stop the output. Call it before there are threads. Throws `Error` when it cannot be.
void keep_log(const std::filesystem::path& folder, Rank rank);

}  // namespace trireme
