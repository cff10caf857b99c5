#include "world/slurm_tasks.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace trireme::world {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<Rank>::max();

struct Group {
  std::int64_t tasks = 0;
  std::int64_t hosts = 1;
};

// "2(x3)" or "2".
Group parse_group(std::string_view text, const char* variable) {
  const std::size_t open = text.find("(x");
  Group group{.tasks = parse_integer(text.substr(0, open), variable, 1, kMost)};
  if (open == std::string_view::npos) return group;
  std::string_view hosts = text.substr(open + 2);
  if (!hosts.ends_with(')')) {
    throw bad_input(fmt::format("{}: '{}' is no number of tasks", variable, printable(text)),
                    "Slurm writes 2(x3),1");
  }
  hosts.remove_suffix(1);
  group.hosts = parse_integer(hosts, variable, 1, kMost);
  return group;
}

}  // namespace

Rank slurm_tasks_on(std::string_view text, std::int64_t host, const char* variable) {
  std::int64_t first = 0;  // host of the group
  for (const std::string_view part : split(text, ',')) {
    const Group group = parse_group(part, variable);
    if (host < first + group.hosts) return static_cast<Rank>(group.tasks);
    first += group.hosts;
  }
  throw bad_input(fmt::format("{} is '{}', which has no host {}", variable, printable(text), host),
                  "it does not go with SLURM_NODEID");
}

}  // namespace trireme::world
