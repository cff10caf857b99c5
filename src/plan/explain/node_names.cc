#include "plan/explain/node_names.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace trireme::plan {
namespace {

// 0 → A, 25 → Z, 26 → AA, 27 → AB, …
std::string letters(Rank number) {
  std::string name;
  for (Rank rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return name;
}

std::optional<Rank> number_of_letters(std::string_view name) {
  constexpr std::size_t kMostLetters = 5;  // 26^5 is more than there can be workers
  if (name.empty() || name.size() > kMostLetters) return std::nullopt;
  Rank number = 0;
  for (const char c : name) {
    if (c < 'A' || c > 'Z') return std::nullopt;
    number = number * 26 + (c - 'A' + 1);
  }
  return number - 1;
}

}  // namespace

NodeNames::NodeNames(std::vector<std::string> workers, std::int32_t servers)
    : workers_(static_cast<std::int32_t>(workers.size())), servers_(servers) {
  const NodeNames taken(0, servers);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].empty()) throw bad_input(fmt::format("worker {} has no name", i + 1));
    if (taken.find(workers[i])) {
      throw bad_input(fmt::format("a worker is called {}, like a server", workers[i]),
                      "give it another name");
    }
    if (!ranks_.emplace(workers[i], static_cast<Rank>(i)).second) {
      throw bad_input(fmt::format("two workers are called {}", workers[i]), "give one of them another name");
    }
  }
  given_ = std::move(workers);
}

std::string NodeNames::of(Rank node) const {
  if (node >= workers_) return fmt::format("S{}", node - workers_ + 1);
  return given_.empty() ? letters(node) : given_[idx(node)];
}

std::optional<Rank> NodeNames::find(std::string_view name) const {
  if (const auto found = ranks_.find(std::string(name)); found != ranks_.end()) return found->second;
  if (name.starts_with('S')) {
    Rank number = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    const bool is_number = error == std::errc{} && end == name.data() + name.size();
    if (is_number && number >= 1 && number <= servers_) return workers_ + number - 1;
  }
  if (!given_.empty()) return std::nullopt;
  const std::optional<Rank> number = number_of_letters(name);
  return number && *number < workers_ ? number : std::nullopt;
}

RingOrder parse_order(std::string_view text, std::string_view flag, std::int32_t workers,
                      const NodeNames& names) {
  std::vector<Rank> ranks;
  std::vector<bool> seen(idx(workers));
  for (const std::string_view part : split(text, ',')) {
    const std::optional<Rank> rank = names.find(part);
    if (!rank || *rank >= workers) {
      throw bad_input(fmt::format("{}: there is no worker '{}'", flag, part),
                      fmt::format("name each of {} to {} once", names.of(0), names.of(workers - 1)));
    }
    if (seen[idx(*rank)]) {
      throw bad_input(fmt::format("{}: worker {} appears twice", flag, part), "name each worker once");
    }
    seen[idx(*rank)] = true;
    ranks.push_back(*rank);
  }
  for (Rank rank = 0; rank < workers; ++rank) {
    if (seen[idx(rank)]) continue;
    throw bad_input(fmt::format("{}: worker {} is missing", flag, names.of(rank)), "name each worker once");
  }
  return RingOrder(std::move(ranks));
}

}  // namespace trireme::plan
