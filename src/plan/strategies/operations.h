// The operations: their names, the strategies that each of them has, and one function for each strategy of an
// operation other than sum.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

/// "sum", "broadcast", "all-gather", …: the names used on the command line and in output.
[[nodiscard]] std::string_view name(Operation operation);
/// Parses what a user typed. Throws `Error` with the nearest known name.
[[nodiscard]] Operation parse_operation(std::string_view text);
[[nodiscard]] std::span<const Operation> all_operations();

/// Whether one worker is its root: broadcast, gather and scatter.
[[nodiscard]] bool has_root(Operation operation);
/// Whether contributions are added up: sum and reduce-scatter.
[[nodiscard]] bool adds_up(Operation operation);

/// The strategies that the operation has, the default one first; but those of sum in the order of
/// `all_strategies`.
[[nodiscard]] std::vector<Strategy> strategies_of(Operation operation);
/// "ring and direct".
[[nodiscard]] std::string names_of(const std::vector<Strategy>& strategies);
[[nodiscard]] Strategy default_strategy(Operation operation);

/// Whether the strategy of this operation depends on the ring order.
[[nodiscard]] bool follows_ring_order(Operation operation, Strategy strategy);

/// Throws `Error` that names those that there are, if the operation has no such strategy.
void require_strategy(Operation operation, Strategy strategy);

/// Throws `Error` that begins with `flag` and names the strategies that do, if this one does not.
void require_ring_order(Operation operation, Strategy strategy, std::string_view flag = "");

/// "ring" for a sum, "broadcast by tree" for others.
[[nodiscard]] std::string title(Operation operation, Strategy strategy);
[[nodiscard]] inline std::string title(const PlanSpec& spec) { return title(spec.operation, spec.strategy); }

using MakeProgram = Program (*)(const PlanSpec&, Rank, const StepWindow&);
/// The function that makes programs, or null if the operation has no such strategy.
[[nodiscard]] MakeProgram find_maker(Operation operation, Strategy strategy);

/// Down a binomial tree from the root. ⌈lg n⌉ steps, n−1 messages of p: the fewest possible.
[[nodiscard]] Program broadcast_by_tree(const PlanSpec& spec, Rank node, const StepWindow& window);
/// The root gives chunk k to worker k; then everybody gives its chunk to all others. Two steps, n(n−1)
/// messages of p/n: nobody sends more than the root.
[[nodiscard]] Program broadcast_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window);
/// The root sends everything to each of the others. One step, n−1 messages of p: for memory that all share,
/// where they can all read at once.
[[nodiscard]] Program broadcast_by_star(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Everybody sends its chunk to the root. One step, n−1 messages of p/n.
[[nodiscard]] Program gather_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window);
/// Up a binomial tree: each worker sends the chunks of all workers below it in one message. ⌈lg n⌉ steps, n−1
/// messages.
[[nodiscard]] Program gather_by_tree(const PlanSpec& spec, Rank node, const StepWindow& window);

/// The same from the root.
[[nodiscard]] Program scatter_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window);
[[nodiscard]] Program scatter_by_tree(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Everybody sends its chunk to all others. One step, n(n−1) messages of p/n.
[[nodiscard]] Program all_gather_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window);
/// Everybody sends its chunk to the next in the ring, and passes on what it gets. n−1 steps, n(n−1) messages
/// of p/n.
[[nodiscard]] Program all_gather_by_ring(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Everybody sends chunk k to worker k, who adds it up. One step, n(n−1) messages of p/n.
[[nodiscard]] Program reduce_scatter_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window);
/// n−1 steps around the ring, which add; then chunk k is complete at position k−1, which hands it over to
/// worker k. So the order of addition is that of all sums. n steps, n² messages of p/n.
[[nodiscard]] Program reduce_scatter_by_ring(const PlanSpec& spec, Rank node, const StepWindow& window);

/// Everybody sends chunk k to worker k. One step, n(n−1) messages of p/n.
[[nodiscard]] Program all_to_all_by_direct(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme::plan
