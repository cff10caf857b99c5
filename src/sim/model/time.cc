#include "sim/model/time.h"

#include <fmt/format.h>

#include "base/error.h"

namespace trireme::sim {

void refuse_as_too_long(const char* what, Picoseconds most) {
  throw bad_input(fmt::format("{} would take more than {:.0f} days", what, in_seconds(most) / 86'400),
                  "look for a value with the wrong unit");
}

}  // namespace trireme::sim
