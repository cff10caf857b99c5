#include "libtorch/same_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/types.h"
#include "wire/notes.h"
#include "wire/roster/rank_list.h"

namespace trireme::libtorch {
namespace {

struct Parameter {
  std::string name;
  std::string kind;  // "[512, 784] Float"

  bool operator==(const Parameter&) const = default;
};
using Variant = std::pair<Parameter, std::vector<Rank>>;  // a parameter, and the ranks that have it

std::string kind_of(const torch::Tensor& tensor) {
  return fmt::format("[{}] {}{}", fmt::join(tensor.sizes(), ", "), c10::toString(tensor.scalar_type()),
                     tensor.requires_grad() ? "" : " frozen");
}

std::vector<Parameter> read_list(const std::string& list) {
  std::vector<Parameter> parameters;
  std::istringstream lines(list);
  for (Parameter next; std::getline(lines, next.name);) {
    std::getline(lines, next.kind);
    parameters.push_back(next);
  }
  return parameters;
}

// By the lowest rank of each group; a parameter without a name stands for none at all.
std::vector<Variant> groups_at(std::size_t i, const std::vector<std::vector<Parameter>>& lists,
                               const wire::Members& members) {
  std::vector<Variant> groups;
  for (std::size_t node = 0; node < lists.size(); ++node) {
    const Parameter parameter = i < lists[node].size() ? lists[node][i] : Parameter{};
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Variant& g) { return g.first == parameter; });
    if (group == groups.end()) group = groups.insert(groups.end(), {parameter, {}});
    group->second.push_back(members.job_rank(static_cast<Rank>(node)));
  }
  return groups;
}

std::string in_words(std::size_t i, const std::vector<Variant>& groups) {
  const std::string& name = groups[0].first.name;
  const bool same_name =
      std::all_of(groups.begin(), groups.end(), [&](const Variant& g) { return g.first.name == name; });
  std::vector<std::string> words;
  for (const auto& [parameter, ranks] : groups) {
    const std::string has = same_name                ? parameter.kind
                            : parameter.name.empty() ? "missing"
                                                     : parameter.name + " " + parameter.kind;
    words.push_back(fmt::format("{} on {}", has, wire::name_ranks(ranks)));
  }
  return fmt::format("{} is {}", same_name ? name : fmt::format("parameter {}", i + 1),
                     fmt::join(words, " and "));
}

}  // namespace

std::string list_of(const std::vector<NamedTensor>& parameters) {
  std::string list;
  for (const NamedTensor& parameter : parameters) {
    list += fmt::format("{}\n{}\n", parameter.name, kind_of(parameter.tensor));
  }
  return list;
}

Error difference_of_lists(wire::Wire& wire, const std::string& own, std::span<const std::uint64_t> lengths,
                          const Deadline& deadline) {
  std::string note = own;
  note.resize(*std::max_element(lengths.begin(), lengths.end()));
  const std::vector<std::byte> notes =
      wire::share_notes(wire, std::as_bytes(std::span(note)), "comparing parameters", deadline);
  std::vector<std::vector<Parameter>> lists;
  for (std::size_t node = 0; node < lengths.size(); ++node) {
    const char* list = reinterpret_cast<const char*>(notes.data()) + node * note.size();
    lists.push_back(read_list(std::string(list, lengths[node])));
  }
  std::size_t i = 0;
  while (groups_at(i, lists, wire.members()).size() == 1) ++i;  // ends, because the lists differ
  const std::vector<Variant> groups = groups_at(i, lists, wire.members());
  const auto [fewest, most] = std::minmax_element(
      groups.begin(), groups.end(),
      [](const Variant& a, const Variant& b) { return a.second.size() < b.second.size(); });
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.rank = wire.members().job_rank(wire.rank());
  if (fewest->second.size() < most->second.size()) failure.culprit = fewest->second[0];
  failure.what = "the models differ: " + in_words(i, groups);
  failure.hint = "build the same model on all workers, with its parameters in the same order";
  return Error(std::move(failure));
}

}  // namespace trireme::libtorch
