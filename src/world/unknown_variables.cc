#include "world/unknown_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "world/environment.h"

namespace trireme::world {

std::vector<std::string> unknown_variables(const char* const* variables) {
  constexpr std::string_view kPrefix = "TRIREME_";
  std::vector<std::string_view> known;  // behind the prefix
  for (const std::string_view name : environment::kAll) known.push_back(name.substr(kPrefix.size()));
  std::vector<std::string> sentences;
  for (; *variables != nullptr; ++variables) {
    const std::string_view entry = *variables;
    const std::string_view name = entry.substr(0, entry.find('='));
    // Those of our own tests are not for people.
    if (!name.starts_with(kPrefix) || name.starts_with("TRIREME_TEST_")) continue;
    const std::string_view rest = name.substr(kPrefix.size());
    if (std::find(known.begin(), known.end(), rest) != known.end()) continue;
    const std::string_view best = nearest(rest, known);
    sentences.push_back(fmt::format("the variable {} has no effect{}", printable(name),
                                    best.empty() ? "" : fmt::format("; did you mean {}{}?", kPrefix, best)));
  }
  return sentences;
}

}  // namespace trireme::world
