#include "wire/call_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trireme::wire {
namespace {

using Group = std::pair<std::string, std::vector<Rank>>;  // an operation, and the ranks that called it

std::string in_words(const CallSignature& signature, bool with_place) {
  std::string words = signature.text.data();
  if (!with_place) return words;
  if (signature.place == 0) return words + " in memory of its own";
  return words + fmt::format(" in a window (at {})", signature.place);
}

// "ranks 0, 1 and 3", or only their number if the list would be long.
std::string in_words(const std::vector<Rank>& ranks) {
  constexpr std::size_t kMostNamed = 8;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() > kMostNamed) return fmt::format("{} others", ranks.size());
  std::string text = "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
  }
  return text;
}

// Smallest group first: a node that differs from most is named first, because it is most likely wrong.
std::vector<Group> grouped(const Members& members, std::span<const CallSignature> signatures) {
  const bool same_words = std::all_of(signatures.begin(), signatures.end(), [&](const CallSignature& p) {
    return p.words_digest == signatures[0].words_digest;
  });
  std::map<std::string, std::vector<Rank>> by_words;
  for (std::size_t node = 0; node < signatures.size(); ++node) {
    by_words[in_words(signatures[node], same_words)].push_back(members.job_rank(static_cast<Rank>(node)));
  }
  std::vector<Group> groups(by_words.begin(), by_words.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.second.size() < b.second.size(); });
  return groups;
}

}  // namespace

std::uint64_t mix(std::uint64_t digest, std::uint64_t number) {  // splitmix64's finisher
  std::uint64_t x = digest * 0x9e3779b97f4a7c15 + number + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

CallSignature::CallSignature(std::string_view words) {
  for (const char c : words) words_digest = mix(words_digest, static_cast<unsigned char>(c));
  std::copy_n(words.begin(), std::min(words.size(), text.size() - 1), text.begin());
  put_at(0);
}

void CallSignature::put_at(std::uint64_t new_place) {
  place = new_place;
  digest = mix(words_digest, place);
}

Error difference(const Members& members, Rank rank, std::span<const CallSignature> signatures) {
  const std::vector<Group> groups = grouped(members, signatures);
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.rank = members.job_rank(rank);
  failure.what = "the nodes called different operations:";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    failure.what +=
        fmt::format("{} {} at {}", i == 0 ? "" : ",", in_words(groups[i].second), groups[i].first);
  }
  if (groups.front().second.size() < groups.back().second.size()) failure.culprit = groups.front().second[0];
  failure.hint =
      "let every node make the same calls in the same order, with the same sizes, types and strategies";
  return Error(std::move(failure));
}

}  // namespace trireme::wire
