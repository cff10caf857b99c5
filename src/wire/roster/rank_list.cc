#include "wire/roster/rank_list.h"

#include <fmt/format.h>

namespace trireme::wire {
namespace {

constexpr std::size_t kMostParts = 8;

struct Parts {
  std::vector<std::string> words;
  std::size_t left_out = 0;  // ranks
};

// Three or more consecutive ranks are written as a range.
Parts parts_of(const std::vector<Rank>& ranks) {
  Parts parts;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last < first + 2) last = first;
    if (parts.words.size() >= kMostParts) {
      parts.left_out += last - first + 1;
    } else if (last == first) {
      parts.words.push_back(fmt::format("{}", ranks[first]));
    } else {
      parts.words.push_back(fmt::format("{}–{}", ranks[first], ranks[last]));
    }
    first = last + 1;
  }
  return parts;
}

}  // namespace

std::string list_ranks(const std::vector<Rank>& ranks) {
  Parts parts = parts_of(ranks);
  if (parts.left_out > 0) {
    parts.words.push_back(fmt::format("{} {}", parts.left_out, parts.left_out == 1 ? "other" : "others"));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.words.size(); ++i) {
    if (i > 0) text += i + 1 == parts.words.size() ? " and " : ", ";
    text += parts.words[i];
  }
  return text;
}

std::string name_ranks(const std::vector<Rank>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", list_ranks(ranks));
}

}  // namespace trireme::wire
