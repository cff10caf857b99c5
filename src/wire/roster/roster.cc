#include "wire/roster/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/system/process.h"

namespace trireme::wire {
namespace {

constexpr std::size_t kLine = 128;

std::size_t record_bytes() { return (sizeof(FailureRecord) + kLine - 1) / kLine * kLine; }

std::byte* zeroed(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kLine}));
  std::memset(memory, 0, bytes);
  return memory;
}

}  // namespace

void Roster::MemoryDeleter::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{kLine});
}

Roster::Roster(Rank nodes) : Roster(zeroed(bytes_for(nodes)), nodes) {
  own_.reset(reinterpret_cast<std::byte*>(record_));
}

// The initial value of everything in it is zero, so the first node need not construct it.
Roster::Roster(std::byte* memory, Rank nodes)
    : nodes_(nodes),
      record_(reinterpret_cast<FailureRecord*>(memory)),
      entries_(reinterpret_cast<Entry*>(memory + record_bytes())) {}

std::size_t Roster::bytes_for(Rank nodes) { return record_bytes() + idx(nodes) * sizeof(Entry); }

bool Roster::enter(Rank node, pid_t process) {
  pid_t nobody = 0;
  return at(node).process.compare_exchange_strong(nobody, process, std::memory_order_acq_rel);
}

void Roster::mark_dead(Rank node, pid_t process) {
  pid_t unknown = 0;  // it may never have entered
  at(node).process.compare_exchange_strong(unknown, process, std::memory_order_acq_rel);
  std::uint32_t stays = kStays;
  at(node).end.compare_exchange_strong(stays, kDied, std::memory_order_acq_rel);
}

// The node, the one that it waits for, the one that this one waits for, …; ends at a node that waits for
// nobody or will never wake, or with the first repetition.
Roster::Chain Roster::chain_from(Rank node) const {
  Chain chain{{node}};
  while (!is_stuck(chain.nodes.back())) {
    const Rank next = at(chain.nodes.back()).waits_for.load(std::memory_order_relaxed) - 1;
    if (next < 0 || next >= nodes_) break;
    chain.circle = std::find(chain.nodes.begin(), chain.nodes.end(), next) != chain.nodes.end();
    chain.nodes.push_back(next);
    if (chain.circle) break;
  }
  return chain;
}

bool Roster::is_stuck(Rank node) const {
  const pid_t pid = process(node);
  return has_left(node) || (pid != 0 && state_of(pid) != ProcessState::kAlive);
}

std::string Roster::departure(Rank node) const {
  if (end_of(node) != kDied) return "has left";
  if (process(node) == 0) return "has died, or is cut off (its connection is closed)";
  return fmt::format("has died (process {} is gone)", process(node));
}

// A phrase that follows "it" or "which".
std::string Roster::state(Rank node) const {
  if (has_left(node)) return departure(node);
  const pid_t pid = process(node);
  if (pid == 0) return "is not in the exchange";
  switch (state_of(pid)) {
    case ProcessState::kStopped:
      return fmt::format("is stopped (kill -CONT {} lets it go on)", pid);
    case ProcessState::kGone:
      return fmt::format("has died (process {} is gone)", pid);
    case ProcessState::kAlive:
      break;
  }
  return fmt::format("is not in the exchange (process {} is busy with something else)", pid);
}

std::string Roster::whereabouts(Rank node) const {
  constexpr std::size_t kMostNamed = 4;  // the ends of a long chain are enough
  const Chain chain = chain_from(node);
  const std::vector<Rank>& nodes = chain.nodes;
  if (nodes.size() == 1) return "it " + state(node);

  std::string text = fmt::format("it is itself waiting for rank {}", nodes[1]);
  for (std::size_t i = 2; i < nodes.size(); ++i) {
    if (i >= kMostNamed && i + 1 < nodes.size()) continue;
    text += fmt::format(", {}for rank {}", i > kMostNamed ? "… " : "that one ", nodes[i]);
  }
  if (chain.circle) return text + ", in a circle: what they send and receive does not fit together";
  return text + ", which " + state(nodes.back());
}

std::optional<Rank> Roster::culprit(Rank node) const {
  const Chain chain = chain_from(node);
  if (chain.circle) return std::nullopt;
  return chain.nodes.back();
}

}  // namespace trireme::wire
