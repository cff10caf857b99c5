// A text of every node, told to all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::libtorch {

/// *Together*, servers too. By rank; the texts may be of any lengths. Errors name `purpose`.
[[nodiscard]] std::vector<std::string> share_texts(wire::Wire& wire, const std::string& own,
                                                   std::string_view purpose, const Deadline& deadline);

}  // namespace trireme::libtorch
