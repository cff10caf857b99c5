#include "rounds/parameter_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/types.h"
#include "wire/notes.h"
#include "wire/roster/rank_list.h"

namespace trireme::rounds {
namespace {

constexpr std::uint8_t kNotSaid = 2;  // by a node that follows

// The flags of all nodes.
class FlagsOfNodes {
 public:
  FlagsOfNodes(wire::Wire& wire, const ParameterFlags& own, std::string_view purpose,
               const Deadline& deadline)
      : parameters_(own.size()),
        members_(wire.members()),
        notes_(wire::share_notes(wire, std::as_bytes(std::span(own)), purpose, deadline)) {}

  [[nodiscard]] std::vector<Rank> who_says(std::uint8_t flag, std::size_t parameter) const {
    std::vector<Rank> ranks;
    for (Rank node = 0; node < members_.size(); ++node) {
      if (notes_[idx(node) * parameters_ + parameter] == std::byte{flag})
        ranks.push_back(members_.job_rank(node));
    }
    return ranks;
  }

 private:
  std::size_t parameters_;
  const wire::Members& members_;
  std::vector<std::byte> notes_;  // by node, then by parameter
};

}  // namespace

ParameterFlags agree_on_trained(wire::Wire& wire, const std::optional<ParameterFlags>& own,
                                std::span<const std::string> names, const Deadline& deadline) {
  const FlagsOfNodes said(wire, own.value_or(ParameterFlags(names.size(), kNotSaid)),
                          "comparing what requires a gradient", deadline);
  ParameterFlags agreed(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<Rank> trained = said.who_says(1, i);
    const std::vector<Rank> frozen = said.who_says(0, i);
    agreed[i] = trained.empty() ? 0 : 1;
    if (trained.empty() || frozen.empty()) continue;
    Failure failure;
    failure.cause = Failure::Cause::kMismatch;
    failure.rank = wire.members().job_rank(wire.rank());
    failure.culprit = std::max(trained.front(), frozen.front());
    failure.op = "before a round";
    failure.what = fmt::format("{} requires a gradient on {} and is frozen on {}", names[i],
                               wire::name_ranks(trained), wire::name_ranks(frozen));
    failure.hint =
        "freeze and unfreeze the same parameters before the same "
        "step on all workers";
    throw Error(failure);
  }
  return agreed;
}

ParameterFlags on_any_node(wire::Wire& wire, const ParameterFlags& own, const Deadline& deadline) {
  const FlagsOfNodes said(wire, own, "adding up which parameters have gradients", deadline);
  ParameterFlags any(own.size());
  for (std::size_t i = 0; i < any.size(); ++i) any[i] = said.who_says(1, i).empty() ? 0 : 1;
  return any;
}

void require_gradients(wire::Wire& wire, const ParameterFlags& trained, const ParameterFlags& seen,
                       std::span<const std::string> names, const Deadline& deadline) {
  require_gradients(trained, on_any_node(wire, seen, deadline), names);
}

void require_gradients(const ParameterFlags& trained, const ParameterFlags& seen_by_any,
                       std::span<const std::string> names) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (trained[i] > seen_by_any[i]) missing.push_back(names[i]);
  }
  if (missing.empty()) return;
  throw bad_input(fmt::format("no worker has a gradient for {}", fmt::join(missing, ", ")),
                  "freeze what the loss does not depend on, or train without ExchangeOptions::strict");
}

}  // namespace trireme::rounds
