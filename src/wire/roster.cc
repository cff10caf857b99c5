#include "wire/roster.h"

#include <fmt/format.h>

#include <algorithm>

namespace trireme {

Roster::Roster(Rank nodes) : entries_(idx(nodes)) {}

void Roster::fail(const Failure& reason) {
  const std::lock_guard lock(mutex_);
  if (!first_failure_) first_failure_ = reason;
  failed_.store(true, std::memory_order_release);
}

std::optional<Failure> Roster::first_failure() const {
  const std::lock_guard lock(mutex_);
  return first_failure_;
}

// The node, whom it waits for, whom that one waits for, …; ends at one that waits for nobody, or with the
// first repeated.
std::vector<Rank> Roster::chain_from(Rank node) const {
  std::vector<Rank> chain{node};
  while (chain.size() <= entries_.size()) {
    const Rank next = at(chain.back()).waits_for.load(std::memory_order_relaxed);
    if (next == kNobody) break;
    const bool closes = std::find(chain.begin(), chain.end(), next) != chain.end();
    chain.push_back(next);
    if (closes) break;
  }
  return chain;
}

std::string Roster::whereabouts(Rank node) const {
  constexpr std::size_t kMostNamed = 4;  // of a long chain the ends tell enough
  const std::vector<Rank> chain = chain_from(node);
  if (chain.size() == 1) return has_left(node) ? "it has left" : "it is not in the exchange";

  std::string text = fmt::format("it is itself waiting for rank {}", chain[1]);
  const bool circle = std::find(chain.begin(), chain.end() - 1, chain.back()) != chain.end() - 1;
  for (std::size_t i = 2; i < chain.size(); ++i) {
    if (i >= kMostNamed && i + 1 < chain.size()) continue;
    text += fmt::format(", {}for rank {}", i > kMostNamed ? "… " : "that one ", chain[i]);
  }
  if (circle) return text + ", in a circle: a message was lost, or they do not run the same plan";
  return text + (has_left(chain.back()) ? ", which has left" : ", which is not in the exchange");
}

}  // namespace trireme
