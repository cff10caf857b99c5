#include "exec/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "wire/notes.h"

namespace trireme {
namespace {

constexpr std::int64_t kVersion = 1;  // of what nodes tell each other

constexpr std::array<const char*, std::tuple_size_v<Facts>> kNames = {
    "version",    "strategy", "workers", "servers",    "shares on workers", "hosts",
    "parameters", "type",     "result",  "ring order", "variable borders"};
constexpr std::size_t kStrategy = 1;
constexpr std::size_t kType = 7;
constexpr std::size_t kResult = 8;
constexpr std::size_t kRingOrder = 9;

template <typename Numbers>
std::int64_t digest_of(const Numbers& numbers) {
  std::uint64_t digest = 0;
  for (const auto number : numbers) digest = mix(digest, static_cast<std::uint64_t>(number));
  return static_cast<std::int64_t>(digest);
}

std::int64_t digest_of(const RingOrder& order, std::int32_t workers) {
  std::uint64_t digest = 0;
  for (Rank position = 0; position < workers; ++position) {
    digest = mix(digest, static_cast<std::uint64_t>(order.rank_at(position)));
  }
  return static_cast<std::int64_t>(digest);
}

std::string value_in_words(std::size_t fact, std::int64_t value) {
  if (fact == kStrategy) return std::string(name(static_cast<Strategy>(value)));
  if (fact == kType) return std::string(name(static_cast<ElementType>(value)));
  if (fact == kResult) return static_cast<Result>(value) == Result::kAverage ? "average" : "sum";
  if (fact >= kRingOrder) return fmt::format("list {:016x}", static_cast<std::uint64_t>(value));
  return with_commas(value);
}

// "ranks 0, 1 and 3", or how many when that would be long.
std::string ranks_in_words(const std::vector<Rank>& ranks) {
  constexpr std::size_t kMostNamed = 8;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() > kMostNamed) return fmt::format("{} others", ranks.size());
  std::string text = "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
  }
  return text;
}

// Fewest first: who differs from most is named first, and is most likely wrong.
Failure disagreement(std::size_t fact, const std::vector<Facts>& all, Rank rank) {
  std::map<std::int64_t, std::vector<Rank>> by_value;
  for (std::size_t node = 0; node < all.size(); ++node) {
    by_value[all[node][fact]].push_back(static_cast<Rank>(node));
  }
  std::vector<std::pair<std::int64_t, std::vector<Rank>>> groups(by_value.begin(), by_value.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.rank = rank;
  failure.op = "before the first exchange";
  failure.what = fmt::format("the nodes differ in {}:", kNames[fact]);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::vector<Rank>& ranks = groups[i].second;
    failure.what += fmt::format("{} {} {} {}", i == 0 ? "" : ",", ranks_in_words(ranks),
                                ranks.size() == 1 ? "has" : "have", value_in_words(fact, groups[i].first));
  }
  if (groups.front().second.size() < groups.back().second.size()) failure.culprit = groups.front().second[0];
  failure.hint = "start all nodes with the same program and options";
  return failure;
}

}  // namespace

std::uint64_t mix(std::uint64_t digest, std::uint64_t number) {  // splitmix64's finisher
  std::uint64_t x = digest * 0x9e3779b97f4a7c15 + number + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Facts facts_of(const PlanSpec& spec, ElementType type, Result result) {
  return {kVersion,
          static_cast<std::int64_t>(spec.strategy),
          spec.workers,
          spec.servers,
          spec.shares_on_workers,
          spec.hosts,
          spec.parameters,
          static_cast<std::int64_t>(type),
          static_cast<std::int64_t>(result),
          digest_of(spec.order, spec.workers),
          digest_of(spec.variable_borders)};
}

Task::Task(const PlanSpec& plan_spec, ElementType element_type, Result wanted, Rank node)
    : spec((check(plan_spec), plan_spec)),
      type(element_type),
      element_size(size_of(element_type)),
      result(wanted),
      program(make_program(plan_spec, node)),
      facts(facts_of(plan_spec, element_type, wanted)),
      digest(static_cast<std::uint64_t>(digest_of(facts))) {
  if (result == Result::kAverage && is_integer(type)) {
    throw bad_input(fmt::format("{} has sums but no averages", name(type)),
                    "ask for the sum, or use a float type");
  }
  if (spec.parameters > PlanSpec::kMaxElements) {
    throw bad_input(fmt::format("{} parameters are more than any memory holds", spec.parameters));
  }
}

void agree(Wire& wire, const Facts& facts, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      share_notes(wire, std::as_bytes(std::span(facts)), "before the first exchange", deadline);
  std::vector<Facts> all(idx(wire.size()));
  std::memcpy(all.data(), notes.data(), notes.size());
  for (std::size_t fact = 0; fact < facts.size(); ++fact) {
    const bool same =
        std::all_of(all.begin(), all.end(), [&](const Facts& f) { return f[fact] == facts[fact]; });
    if (!same) throw Error(disagreement(fact, all, wire.rank()));
  }
}

}  // namespace trireme
