#include "launch/descendants.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <vector>

#include "base/deadline.h"

namespace trireme::launch {
namespace {

// Longer, and a process hangs in the system or belongs to somebody else.
constexpr auto kDescendantsEnd = std::chrono::seconds(10);

std::vector<pid_t> own_children() {
  std::ifstream file(fmt::format("/proc/self/task/{}/children", ::getpid()));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

}  // namespace

Descendants::Descendants() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

Descendants::~Descendants() {
  const Deadline deadline = Deadline::after(kDescendantsEnd);
  while (::waitpid(-1, nullptr, WNOHANG) >= 0 && !deadline.expired()) {  // < 0: there is none any more
    for (const pid_t child : own_children()) ::kill(child, SIGKILL);
    ::poll(nullptr, 0, 5);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void Descendants::wait_for_ended(std::span<const pid_t> nodes) {
  for (const pid_t child : own_children()) {
    if (std::find(nodes.begin(), nodes.end(), child) == nodes.end()) ::waitpid(child, nullptr, WNOHANG);
  }
}

}  // namespace trireme::launch
