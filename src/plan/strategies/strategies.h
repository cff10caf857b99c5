// The strategies: their names, the checks of a spec, and one function each that makes a node's program of a
// sum.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "plan/plan.h"

namespace trireme::plan {

/// "ring", "parameter-server", …: the names used on the command line and in output.
[[nodiscard]] std::string_view name(Strategy strategy);
[[nodiscard]] std::optional<Strategy> find_strategy(std::string_view name);
/// Parses what a user typed. Throws `Error` with the nearest known name; `more` lists further accepted words,
/// such as "auto".
[[nodiscard]] Strategy parse_strategy(std::string_view text, std::span<const std::string_view> more = {});
/// All of them: those that sum has.
[[nodiscard]] std::span<const Strategy> all_strategies();

/// Whether a sum by this strategy adds in ring order; the others define their own order.
[[nodiscard]] bool follows_ring_order(Strategy strategy);

/// Throws `Error` with a sentence if the numbers do not fit together or totals would not fit in 63 bits.
void check(const PlanSpec& spec);

/// One node's program, in time and memory proportional to its own ops (and sources). The spec must pass
/// `check`. With a window, the program has only the window's ops and the room that these need; skipping
/// passes around a circle before and after the window takes no time.
[[nodiscard]] Program make_program(const PlanSpec& spec, Rank node, const StepWindow& window = {});

/// Checks the spec and makes every node's program.
[[nodiscard]] Plan make_plan(const PlanSpec& spec);

// One function per strategy of a sum, called by `make_program`; operations.h has those of other operations.

/// Every worker gets every whole gradient and adds all of them up itself. One step, n(n−1) messages of p.
[[nodiscard]] Program all_to_all(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Workers push gradients to the holders of shares of the parameters; a holder adds them up, applies the
/// update rule and sends its share back. Two steps; 2ns messages with s dedicated servers, 2s(n−1) with s
/// shares on workers.
[[nodiscard]] Program parameter_server(const PlanSpec& spec, Rank node, const StepWindow& window);

/// n−1 reducing steps, after which the node at position k−1 holds the whole sum of chunk k, then n−1 sharing
/// steps. 2n(n−1) messages of p/n. The node at position k sends chunk k first.
[[nodiscard]] Program ring(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Every node sends chunk k straight to the node at position k, which adds it up and sends the sum straight
/// back. Two steps, 2n(n−1) messages of p/n.
[[nodiscard]] Program direct(const PlanSpec& spec, Rank node, const StepWindow& window);

/// In step j neighbours at distance 2^j exchange all they have. ⌊lg n⌋ steps of m messages of p, where m is
/// the largest power of two ≤ n; two more steps and 2(n−m) more messages if n is not a power of two.
[[nodiscard]] Program recursive_doubling(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Neighbours at distance 1, 2, 4, … send each other half of the block that they are still responsible for,
/// and add; then the same in reverse order, sharing the sums. 2·lg m steps, where m is the largest power of
/// two ≤ n; two more if n is not a power of two.
[[nodiscard]] Program halving_doubling(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Up a binomial tree to rank 0, adding, and down again, copying. 2⌈lg n⌉ steps, 2(n−1) messages of p: the
/// fewest messages possible.
[[nodiscard]] Program tree(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Inside each host every worker adds up its part of the buffer (directly); then the workers with the same
/// part on all hosts pass it around a ring; then it is shared inside each host. Only 2(H−1)/H of the buffer
/// leaves a host.
[[nodiscard]] Program hierarchical(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme::plan
