#include "plan/strategies/closed_form.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "plan/movements/pairing_off.h"
#include "plan/movements/tree_edges.h"
#include "plan/share.h"

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
  const Wide used = filled_shares(spec);
  ClosedForm form = spec.servers == 1  ? ClosedForm{"2n", "p", "2np", "2"}
                    : spec.servers > 0 ? ClosedForm{"2ns", "p/s", "2np", "2"}
                                       : ClosedForm{"2s(n−1)", "p/s", "2(n−1)p", "2"};
  if (spec.whole_variables) {
    form.messages_formula =
        spec.servers > 0 ? "2nt, t shares with variables" : "2t(n−1), t shares with variables";
    form.message_elements_formula = "whole variables";
  } else if (used < s) {
    form.messages_formula = spec.servers > 0 ? "2n·min(s, p)" : "2·min(s, p)·(n−1)";
    form.message_elements_formula = "⌈p/s⌉";
  }
  Sizes sizes = parts(p, s);
  if (spec.whole_variables || !spec.variable_borders.empty()) {
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

ClosedForm of_sum(const PlanSpec& spec, std::int64_t p) {
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
    case Strategy::kStar:
      break;
  }
  return {};
}

// Broadcast by tree or star, whose messages are all alike.
ClosedForm of_whole_to_all(Rank n, std::int64_t p, std::int64_t steps, std::string_view steps_formula) {
  ClosedForm form{"n−1", "p", "(n−1)p", steps_formula};
  set(form, n - 1, {p, p}, Wide{n - 1} * p, steps);
  return form;
}

// Every chunk goes to n−1 others, in so many steps.
ClosedForm of_chunks_to_all(Rank n, std::int64_t p, std::int64_t steps, std::string_view steps_formula) {
  ClosedForm form{"n(n−1)", "p/n", "(n−1)p", steps_formula};
  if (p < n) form.messages_formula = "(n−1)·min(n, p)", form.message_elements_formula = "⌈p/n⌉";
  set(form, Wide{n - 1} * std::min<Wide>(n, p), parts(p, n), Wide{n - 1} * p, steps);
  return form;
}

ClosedForm of_broadcast_direct(const PlanSpec& spec, std::int64_t p) {
  const Rank n = spec.workers;
  // A single element is chunk n−1. Then there is one step if it is the root's, or for nobody else.
  const bool one_step = p == 1 && (spec.root == n - 1 || n == 2);
  return of_chunks_to_all(n, p, one_step ? 1 : 2, one_step ? "1" : "2");
}

// Gather and scatter: every chunk but the root's.
ClosedForm of_other_chunks(const PlanSpec& spec, std::int64_t p) {
  const Rank n = spec.workers;
  const std::int64_t roots = chunk(spec.root, p, n).count;
  std::int64_t large = p % n;  // chunks of ⌊p/n⌋ + 1; the others have ⌊p/n⌋
  std::int64_t small = n - large;
  --(roots > p / n ? large : small);
  if (p < n) small = 0;
  ClosedForm form{"n−1", "p/n", p % n == 0 ? "(n−1)p/n" : "p − the root's chunk", "1"};
  if (p < n) form.messages_formula = roots > 0 ? "min(n, p) − 1" : "min(n, p)";
  if (p < n) form.message_elements_formula = "⌈p/n⌉";
  set(form, small + large, {small > 0 ? p / n : p / n + 1, large > 0 ? p / n + 1 : p / n}, p - roots, 1);
  return form;
}

// What is moved between the two halves of `size` ranks from `first` on, and inside them. Returns the steps.
std::int64_t add_tree_messages(const PlanSpec& spec, std::int64_t first, std::int64_t size,
                               ClosedForm& form) {
  const std::int64_t n = spec.workers;
  const std::int64_t p = spec.parameters;
  const std::int64_t middle = first + size / 2;
  const std::int64_t end = std::min(first + size, n);
  if (size == 1 || chunks(first, end, p, n).empty()) return 0;
  const std::int64_t lower = add_tree_messages(spec, first, size / 2, form);
  if (middle >= n) return lower;
  const std::int64_t upper = add_tree_messages(spec, middle, size / 2, form);
  const bool lower_moves = spec.root >= middle && spec.root < end;
  const std::int64_t moved = (lower_moves ? chunks(first, middle, p, n) : chunks(middle, end, p, n)).count;
  if (moved == 0) return lower_moves ? upper : lower;
  form.min_message_elements = form.messages == 0 ? moved : std::min(form.min_message_elements, moved);
  form.max_message_elements = std::max(form.max_message_elements, moved);
  form.elements = saturated(Wide{form.elements} + moved);
  ++form.messages;
  return 1 + std::max(lower, upper);
}

// Gather and scatter: a message holds the chunks of a whole half of a half … of the ranks.
ClosedForm of_chunk_tree(const PlanSpec& spec, std::int64_t p) {
  const std::int64_t n = spec.workers;
  const bool even = p % n == 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
  ClosedForm form{"n−1", n == 2 ? "p/n" : "p/n, 2p/n, 4p/n, …",
                  even ? "p/2·lg n" : "Σ chunk k · its hops to the root", "⌈lg n⌉"};
  if (p < n) form.messages_formula = "n−1, less the empty ones";
  if (p < n) form.steps_formula = "up to ⌈lg n⌉";
  form.steps = add_tree_messages(spec, 0, std::int64_t{1} << tree_height(spec.workers), form);
  return form;
}

// In a reduce-scatter around the ring, chunk k is complete at position k−1 and goes on to rank k.
ClosedForm of_reduce_scatter_ring(const PlanSpec& spec, std::int64_t p) {
  const Rank n = spec.workers;
  Wide handed_chunks = std::min<Wide>(n, p);
  Wide handed = p;
  if (!spec.order.is_default()) {
    for (Rank k = 0; k < n; ++k) {
      const std::int64_t count = chunk(k, p, n).count;
      if (count == 0 || spec.order.rank_at((k + n - 1) % n) != k) continue;
      --handed_chunks;
      handed -= count;
    }
  }
  const bool all = handed == p;
  ClosedForm form{all ? "n²" : "n(n−1) + handed over", "p/n", all ? "np" : "(n−1)p + handed over",
                  handed > 0 ? "n" : "n−1"};
  if (p < n) form.messages_formula = all ? "n·min(n, p)" : "(n−1)·min(n, p) + handed over";
  if (p < n) form.message_elements_formula = "⌈p/n⌉";
  set(form, Wide{n - 1} * std::min<Wide>(n, p) + handed_chunks, parts(p, n), Wide{n - 1} * p + handed,
      handed > 0 ? n : n - 1);
  return form;
}

ClosedForm of_operation(const PlanSpec& spec, std::int64_t p) {
  const Rank n = spec.workers;
  const bool by_tree = spec.strategy == Strategy::kTree;
  const bool by_ring = spec.strategy == Strategy::kRing;
  switch (spec.operation) {
    case Operation::kSum:
      return of_sum(spec, p);
    case Operation::kBroadcast:
      if (by_tree) return of_whole_to_all(n, p, tree_height(n), "⌈lg n⌉");
      return spec.strategy == Strategy::kStar ? of_whole_to_all(n, p, 1, "1") : of_broadcast_direct(spec, p);
    case Operation::kGather:
    case Operation::kScatter:
      return by_tree ? of_chunk_tree(spec, p) : of_other_chunks(spec, p);
    case Operation::kAllGather:
      return by_ring ? of_chunks_to_all(n, p, n - 1, "n−1") : of_chunks_to_all(n, p, 1, "1");
    case Operation::kReduceScatter:
      return by_ring ? of_reduce_scatter_ring(spec, p) : of_chunks_to_all(n, p, 1, "1");
    case Operation::kAllToAll:
      return of_chunks_to_all(n, p, 1, "1");
  }
  return {};
}

}  // namespace

ClosedForm closed_form(const PlanSpec& spec) {
  ClosedForm form = of_operation(spec, spec.parameters);
  if (form.messages == 0 || spec.parameters == 0 || spec.nodes() == 1) set(form, 0, {0, 0}, 0, 0);
  return form;
}

ClosedForm closed_form_of_update(const PlanSpec& spec) {
  ClosedForm form = closed_form(spec);
  form.messages_formula = spec.servers == 1                                  ? "2"
                          : filled_shares(spec) < std::int64_t{spec.servers} ? "2·min(s, p)"
                                                                             : "2s";
  form.elements_formula = "2p";
  return form;
}

}  // namespace trireme::plan
