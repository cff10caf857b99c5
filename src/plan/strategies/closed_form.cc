#include "plan/strategies/closed_form.h"

#include <algorithm>
#include <limits>

#include "plan/share.h"
#include "plan/strategies/pairing_off.h"
#include "plan/strategies/strategies.h"

namespace trireme::plan {
namespace {

// Products of three 32-bit numbers and a 63-bit one do not fit in 64 bits; this type holds them exactly, and
// the result is saturated.
using Wide = __int128;

std::int64_t saturated(Wide value) {
  return static_cast<std::int64_t>(std::min<Wide>(value, std::numeric_limits<std::int64_t>::max()));
}

struct Sizes {
  std::int64_t min;
  std::int64_t max;
};

// The sizes of the non-empty parts among k near-equal parts of p.
Sizes parts(std::int64_t p, std::int64_t k) {
  return {std::max<std::int64_t>(1, p / k), p / k + (p % k == 0 ? 0 : 1)};
}

Sizes both(Sizes a, Sizes b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

void set(ClosedForm& form, Wide messages, Sizes sizes, Wide elements, std::int64_t steps) {
  form.messages = saturated(messages);
  form.min_message_elements = sizes.min;
  form.max_message_elements = sizes.max;
  form.elements = saturated(elements);
  form.steps = steps;
}

ClosedForm of_all_to_all(Wide n, std::int64_t p) {
  ClosedForm form{"n(n−1)", "p", "n(n−1)p", "1"};
  set(form, n * (n - 1), {p, p}, n * (n - 1) * p, 1);
  return form;
}

ClosedForm of_parameter_server(const PlanSpec& spec, std::int64_t p) {
  const std::int64_t s = share_count(spec);
  const Wide used = std::min<Wide>(s, p);
  ClosedForm form = spec.servers == 1  ? ClosedForm{"2n", "p", "2np", "2"}
                    : spec.servers > 0 ? ClosedForm{"2ns", "p/s", "2np", "2"}
                                       : ClosedForm{"2s(n−1)", "p/s", "2(n−1)p", "2"};
  if (used < s) {
    form.messages_formula = spec.servers > 0 ? "2n·min(s, p)" : "2·min(s, p)·(n−1)";
    form.message_elements_formula = "⌈p/s⌉";
  }
  Sizes sizes = parts(p, s);
  if (!spec.variable_borders.empty()) {
    sizes = {p, 0};
    for (std::int32_t j = 0; j < s; ++j) {
      const std::int64_t size = share(spec, j).count;
      if (size > 0) sizes = both(sizes, {size, size});
    }
  }
  const Wide partners = spec.servers > 0 ? spec.workers : spec.workers - 1;
  set(form, 2 * used * partners, sizes, 2 * partners * p, 2);
  return form;
}

ClosedForm of_chunks(Wide n, std::int64_t p, std::int64_t steps, std::string_view steps_formula) {
  ClosedForm form{"2n(n−1)", "p/n", "2(n−1)p", steps_formula};
  if (p < n) form.messages_formula = "2(n−1)·min(n, p)", form.message_elements_formula = "⌈p/n⌉";
  set(form, 2 * (n - 1) * std::min<Wide>(n, p), parts(p, static_cast<std::int64_t>(n)), 2 * (n - 1) * p,
      steps);
  return form;
}

ClosedForm of_recursive_doubling(const PairingOff& pairs, std::int64_t p) {
  const Wide m = pairs.participants;
  const Wide messages = m * pairs.levels + 2 * Wide{pairs.extra};
  ClosedForm form = pairs.extra == 0
                        ? ClosedForm{"n·lg n", "p", "n·lg n·p", "lg n"}
                        : ClosedForm{"m·lg m + 2(n−m), m = 2^⌊lg n⌋", "p", "(m·lg m + 2(n−m))p", "lg m + 2"};
  set(form, messages, {p, p}, messages * p, pairs.levels + (pairs.extra > 0 ? 2 : 0));
  return form;
}

ClosedForm of_halving_doubling(const PairingOff& pairs, std::int64_t p) {
  const Wide m = pairs.participants;
  // After i halvings there are 2^i blocks, each sent by m/2^i nodes; min(p, 2^i) of the blocks are not empty.
  Wide messages = 2 * Wide{pairs.extra};
  for (std::int32_t i = 1; i <= pairs.levels; ++i) messages += 2 * (m >> i) * std::min<Wide>(p, Wide{1} << i);
  ClosedForm form = pairs.extra == 0 ? ClosedForm{"2n·lg n", "p/2, p/4, …, p/n", "2(n−1)p", "2·lg n"}
                                     : ClosedForm{"2m·lg m + 2(n−m), m = 2^⌊lg n⌋", "p, p/2, p/4, …, p/m",
                                                  "2(n−1)p", "2·lg m + 2"};
  if (p < m) form.messages_formula = "2·Σ (m/2^i)·min(p, 2^i), i = 1…lg m, + 2(n−m), m = 2^⌊lg n⌋";
  Sizes sizes = both(parts(p, pairs.participants), parts(p, 2));
  if (pairs.extra > 0) sizes.max = p;
  set(form, messages, sizes, 2 * (m - 1 + pairs.extra) * p, 2 * pairs.levels + (pairs.extra > 0 ? 2 : 0));
  return form;
}

ClosedForm of_tree(Rank n, std::int64_t p) {
  ClosedForm form{"2(n−1)", "p", "2(n−1)p", "2⌈lg n⌉"};
  set(form, 2 * Wide{n - 1}, {p, p}, 2 * Wide{n - 1} * p, 2 * std::int64_t{tree_height(n)});
  return form;
}

ClosedForm of_hierarchical(const PlanSpec& spec, std::int64_t p) {
  const Wide hosts = spec.hosts;
  const Wide per_host = spec.workers / spec.hosts;
  ClosedForm form{"2n(g + H − 2)", "p/g, p/n", "2(n−1)p", "2 + 2(H−1)"};
  if (hosts == 1) form.message_elements_formula = "p/g";
  if (per_host == 1) form.message_elements_formula = "p/n";
  if (per_host == 1) form.steps_formula = "2(H−1)";
  if (p < spec.workers) form.messages_formula = "2H(g−1)·min(g, p) + 2(H−1)·min(n, p)";
  const Sizes inside = parts(p, static_cast<std::int64_t>(per_host));
  const Sizes across = parts(p, spec.workers);
  const Sizes sizes = hosts == 1 ? inside : per_host == 1 ? across : both(inside, across);
  const Wide messages = 2 * hosts * (per_host - 1) * std::min<Wide>(per_host, p) +
                        2 * (hosts - 1) * std::min<Wide>(spec.workers, p);
  set(form, messages, sizes, 2 * Wide{spec.workers - 1} * p, (per_host > 1 ? 2 : 0) + 2 * (spec.hosts - 1));
  return form;
}

ClosedForm of_strategy(const PlanSpec& spec, std::int64_t p) {
  const Rank n = spec.workers;
  switch (spec.strategy) {
    case Strategy::kAllToAll:
      return of_all_to_all(n, p);
    case Strategy::kParameterServer:
      return of_parameter_server(spec, p);
    case Strategy::kRing:
      return of_chunks(n, p, 2 * std::int64_t{n - 1}, "2(n−1)");
    case Strategy::kDirect:
      return of_chunks(n, p, 2, "2");
    case Strategy::kRecursiveDoubling:
      return of_recursive_doubling(PairingOff(n), p);
    case Strategy::kHalvingDoubling:
      return of_halving_doubling(PairingOff(n), p);
    case Strategy::kTree:
      return of_tree(n, p);
    case Strategy::kHierarchical:
      return of_hierarchical(spec, p);
  }
  return {};
}

}  // namespace

ClosedForm closed_form(const PlanSpec& spec) {
  ClosedForm form = of_strategy(spec, spec.parameters);
  if (spec.parameters == 0 || spec.nodes() == 1) set(form, 0, {0, 0}, 0, 0);
  return form;
}

}  // namespace trireme::plan
