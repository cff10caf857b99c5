#include "server/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace trireme::server {

StalenessRate parse_staleness_rate(std::string_view text) {
  const auto* found = std::ranges::find(kStalenessRates, text);
  if (found != std::end(kStalenessRates))
    return static_cast<StalenessRate>(found - std::begin(kStalenessRates));
  throw bad_input(fmt::format("the learning rate cannot be divided by '{}'", printable(std::string(text))),
                  "give workers, staleness or none");
}

}  // namespace trireme::server
