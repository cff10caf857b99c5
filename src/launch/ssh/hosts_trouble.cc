#include "launch/ssh/hosts_trouble.h"

#include <algorithm>
#include <csignal>

namespace trireme::launch::ssh {
namespace {

bool is_of_ssh(const Trouble& trouble) { return std::holds_alternative<SshEnded>(trouble.what); }

bool was_killed(const Trouble& trouble) {
  const auto* node = std::get_if<NodeEnded>(&trouble.what);
  return node != nullptr && node->end.how == RankEnd::How::kKilled && node->end.code != SIGABRT &&
         !node->end.stopped;
}

// An agent that has told of a trouble ends because of it.
bool is_explained(const Trouble& trouble, const std::vector<Trouble>& all) {
  return is_of_ssh(trouble) && std::any_of(all.begin(), all.end(), [&](const Trouble& other) {
           return other.host == trouble.host && !is_of_ssh(other);
         });
}

}  // namespace

const Trouble* first_of(const std::vector<Trouble>& troubles) {
  const auto counts = [&](const Trouble& trouble) { return !is_explained(trouble, troubles); };
  const auto first = std::find_if(troubles.begin(), troubles.end(), counts);
  if (first == troubles.end()) return nullptr;
  if (!std::holds_alternative<NodeEnded>(first->what)) return &*first;
  const auto killed = std::find_if(first, troubles.end(), was_killed);
  return killed == troubles.end() ? &*first : &*killed;
}

}  // namespace trireme::launch::ssh
