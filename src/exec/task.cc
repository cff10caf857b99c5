#include "exec/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "wire/notes.h"

namespace trireme::exec {
namespace {

// Long lists are told by a digest.
template <typename Numbers>
std::string digest_in_words(const Numbers& numbers) {
  std::uint64_t digest = 0;
  for (const auto number : numbers) digest = wire::mix(digest, static_cast<std::uint64_t>(number));
  return fmt::format("#{:08x}", digest >> 32);
}

// "average", "broadcast from root 2", "reduce-scatter (sum)".
std::string call_in_words(const plan::PlanSpec& spec, Reduction reduction) {
  if (spec.operation == plan::Operation::kSum) return std::string(name(reduction));
  std::string words(plan::name(spec.operation));
  if (spec.operation == plan::Operation::kReduceScatter) words += fmt::format(" ({})", name(reduction));
  if (plan::has_root(spec.operation)) words += fmt::format(" with root {}", spec.root);
  return words;
}

// "average of 1,000 float32 by ring among 4 workers"
std::string in_words(const plan::PlanSpec& spec, ElementType type, Reduction reduction,
                     const plan::StepWindow& window) {
  std::string words =
      fmt::format("{} of {} {} by {} among {}", call_in_words(spec, reduction), with_commas(spec.parameters),
                  name(type), plan::name(spec.strategy), counted(spec.workers, "worker"));
  if (window == kToHolders) words += " (first half)";
  if (window == kFromHolders) words += " (second half)";
  if (spec.servers > 0) words += " and " + counted(spec.servers, "server");
  if (spec.shares_on_workers > 0) words += ", shares on " + with_commas(spec.shares_on_workers);
  if (spec.hosts > 1) words += " on " + counted(spec.hosts, "host");
  std::vector<Rank> order;
  order.reserve(idx(spec.workers));
  for (Rank position = 0; position < spec.workers; ++position) order.push_back(spec.order.rank_at(position));
  if (!std::is_sorted(order.begin(), order.end())) words += ", ring order " + digest_in_words(order);
  if (!spec.variable_borders.empty()) words += ", variables " + digest_in_words(spec.variable_borders);
  if (spec.whole_variables) words += " that stay whole";
  return words;
}

// Comes first: a program cannot be made of every spec.
const plan::PlanSpec& checked(const plan::PlanSpec& spec, ElementType type, Reduction reduction,
                              const plan::StepWindow& window) {
  plan::check(spec);
  if (window != plan::StepWindow{} && spec.strategy != plan::Strategy::kParameterServer) {
    throw bad_input(fmt::format("{} has no halves: nobody holds a share", plan::name(spec.strategy)));
  }
  if (reduction == Reduction::kAverage && is_integer(type)) {
    throw bad_input(fmt::format("{} has sums but no averages", name(type)),
                    "ask for the sum, or use a float type");
  }
  if (spec.elements() > plan::PlanSpec::kMaxElements) {
    throw bad_input(fmt::format("{} parameters are more than any memory holds", spec.parameters));
  }
  return spec;
}

}  // namespace

Task::Task(const plan::PlanSpec& plan_spec, ElementType element_type, Reduction wanted,
           const plan::StepWindow& window, Rank node)
    : spec(checked(plan_spec, element_type, wanted, window)),
      type(element_type),
      element_size(size_of(element_type)),
      reduction(wanted),
      divisor(plan_spec.workers),
      program(plan::make_program(plan_spec, node, window)),
      signature(in_words(plan_spec, element_type, wanted, window)) {}

void agree(wire::Wire& wire, const wire::CallSignature& signature, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      wire::share_notes(wire, std::as_bytes(std::span(&signature, 1)), "before the first exchange", deadline);
  std::vector<wire::CallSignature> all(idx(wire.size()));
  std::memcpy(all.data(), notes.data(), notes.size());
  const bool same = std::all_of(
      all.begin(), all.end(), [&](const wire::CallSignature& one) { return one.digest == signature.digest; });
  if (!same) throw wire::difference(wire.members(), wire.rank(), all);
}

}  // namespace trireme::exec
