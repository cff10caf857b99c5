#include "cli/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <random>

#include "base/error.h"
#include "base/text.h"
#include "exec/buffers.h"
#include "exec/run_on_threads.h"
#include "plan/holdings.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"

namespace trireme::cli {
namespace {

constexpr std::int32_t kMostThreads = 512;
// The buffers and rooms of all nodes together: 1 GiB, and as much again for the calculation.
constexpr std::int64_t kMostElements = std::int64_t{1} << 27;
constexpr std::chrono::seconds kDeadline{60};

void check_size(const plan::Plan& plan) {
  const plan::PlanSpec& spec = plan.spec;
  if (spec.nodes() > kMostThreads) {
    throw bad_input(fmt::format("--run: {} would each need a thread", counted(spec.nodes(), "node")),
                    fmt::format("try at most {}", kMostThreads));
  }
  std::int64_t elements = 0;
  for (const plan::Program& program : plan.programs) {
    elements += std::min(kMostElements, spec.elements()) + std::min(kMostElements, program.room_elements);
  }
  if (elements > kMostElements) {
    throw bad_input(
        fmt::format("--run: {} with {} need more than {} for buffers and room", counted(spec.nodes(), "node"),
                    counted(spec.parameters, "parameter"), bytes_in_words(8 * kMostElements)),
        "try fewer parameters or workers");
  }
}

// Fractions with many digits, so that a different order of addition would be visible.
plan::Values made_up(const plan::PlanSpec& spec) {
  std::mt19937_64 random(1);
  plan::Values values(idx(spec.workers), std::vector<double>(idx(spec.parameters)));
  for (auto& row : values) {
    for (double& value : row) value = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  }
  return values;
}

// The memory for what each node gets: in place it is what the node brings; a server brings nothing.
plan::Values results_of(const plan::PlanSpec& spec, const plan::Values& brought) {
  if (exec::is_in_place(spec.operation)) {
    plan::Values results = brought;
    results.resize(idx(spec.nodes()), std::vector<double>(idx(spec.parameters)));
    return results;
  }
  plan::Values results;
  for (Rank node = 0; node < spec.nodes(); ++node)
    results.emplace_back(idx(plan::total(plan::holdings(spec, node).after)));
  return results;
}

void compare(const plan::PlanSpec& spec, const plan::Values& ran, const plan::Values& calculated) {
  for (std::size_t rank = 0; rank < calculated.size(); ++rank) {
    for (std::size_t i = 0; i < calculated[rank].size(); ++i) {
      if (std::bit_cast<std::uint64_t>(ran[rank][i]) == std::bit_cast<std::uint64_t>(calculated[rank][i]))
        continue;
      Failure failure;
      failure.cause = Failure::Cause::kMismatch;
      failure.rank = static_cast<Rank>(rank);
      failure.what = fmt::format("the run of {} left {} in element {}, the explanation {}", plan::title(spec),
                                 ran[rank][i], i, calculated[rank][i]);
      failure.hint = "please report this command: it is a mistake in trireme";
      throw Error(failure);
    }
  }
}

}  // namespace

report::RunReport rehearse(const plan::Plan& plan, const std::optional<plan::Values>& values) {
  check_size(plan);
  const plan::Values brought = values ? *values : made_up(plan.spec);
  plan::Values ran = results_of(plan.spec, brought);
  std::vector<exec::Buffers> memory;
  for (Rank node = 0; node < plan.spec.nodes(); ++node) {
    const std::span<std::byte> into = std::as_writable_bytes(std::span(ran[idx(node)]));
    if (exec::is_in_place(plan.spec.operation)) {
      memory.push_back({into, into});
    } else {
      const std::int64_t brings = plan::total(plan::holdings(plan.spec, node).before);
      memory.push_back({std::as_bytes(std::span(brought[idx(node)]).first(idx(brings))), into});
    }
  }

  const auto start = std::chrono::steady_clock::now();
  const exec::Outcome outcome = exec::try_on_threads(plan.spec, exec::ElementType::kFloat64, memory,
                                                     exec::Reduction::kSum, Deadline::after(kDeadline));
  report::RunReport report;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (outcome.first_failure) throw Error(*outcome.first_failure);
  for (const exec::NodeOutcome& node : outcome.nodes) report.messages += node.counters.sent_messages;
  compare(plan.spec, ran, plan::calculate(plan, brought));
  return report;
}

}  // namespace trireme::cli
