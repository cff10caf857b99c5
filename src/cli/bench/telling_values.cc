#include "cli/bench/telling_values.h"

#include <cstdint>
#include <vector>

#include "plan/holdings.h"
#include "plan/strategies/operations.h"

namespace trireme::cli {
namespace {

constexpr std::uint32_t kPeriod = 1000;

float own_value(std::uint32_t element, Rank node) {
  return static_cast<float>(element % kPeriod) + static_cast<float>(node);
}

// The one worker from which an element of the result comes.
Rank origin(const plan::PlanSpec& spec, std::int64_t element) {
  switch (spec.operation) {
    case plan::Operation::kGather:
    case plan::Operation::kAllGather:
      return static_cast<Rank>(plan::chunk_of(element, spec.parameters, spec.workers));
    case plan::Operation::kAllToAll:
      return static_cast<Rank>(element / spec.parameters);
    default:
      return spec.root;
  }
}

float result(const plan::PlanSpec& spec, std::int64_t element) {
  const auto low = static_cast<std::uint32_t>(element);
  if (!plan::adds_up(spec.operation)) return own_value(low, origin(spec, element));
  const auto workers = static_cast<float>(spec.workers);
  return static_cast<float>(low % kPeriod) * workers + workers * (workers - 1) / 2;
}

}  // namespace

// In vectors, as in bench/peers: with a slower loop, less of the buffer would be in the cache afterwards.
void fill_in(std::span<float> values, std::int64_t first, Rank node) {
  const auto begin = static_cast<std::uint32_t>(first);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = own_value(begin + i, node);
}

bool is_filled_in(std::span<const float> values, std::int64_t first, Rank node) {
  const auto begin = static_cast<std::uint32_t>(first);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] != own_value(begin + i, node)) return false;
  }
  return true;
}

std::int64_t first_brought(const plan::PlanSpec& spec, Rank node) {
  const std::vector<plan::Slice> brought = plan::holdings(spec, node).before;  // one slice, or none
  return brought.empty() ? 0 : brought.front().first;
}

bool has_got_its_part(const plan::PlanSpec& spec, Rank node, std::span<const float> into) {
  const std::vector<plan::Slice> slices = plan::holdings(spec, node).after;
  if (std::ssize(into) != plan::total(slices)) return false;
  auto value = into.begin();
  for (const plan::Slice& slice : slices) {
    for (std::int64_t element = slice.first; element < slice.end(); ++element) {
      if (*value++ != result(spec, element)) return false;
    }
  }
  return true;
}

}  // namespace trireme::cli
