#include "plan/strategies/strategies.h"

#include "plan/movements/passes.h"

namespace trireme::plan {

Program hierarchical(const PlanSpec& spec, Rank node, const StepWindow& window) {
  const Rank hosts = spec.hosts;
  const Rank per_host = spec.workers / hosts;
  const Rank host = node / per_host;
  const Rank place = node % per_host;
  const Circle inside{per_host, place, [=](Rank at) { return host * per_host + at; }};
  const Circle across{hosts, host, [=](Rank at) { return at * per_host + place; }};

  // Each place is responsible for `hosts` consecutive chunks of the buffer, one for each position in the ring
  // of hosts.
  const std::int64_t p = spec.parameters;
  const Parts of_places{.p = p, .n = spec.workers, .count = per_host, .first = 0, .per_part = hosts};
  const Parts of_hosts{
      .p = p, .n = spec.workers, .count = hosts, .first = std::int64_t{place} * hosts, .per_part = 1};

  ProgramWriter writer(spec, node, window);
  std::int32_t step = 0;
  if (per_host > 1) give_to_owners(writer, step++, inside, of_places, /*completes=*/hosts == 1);
  step = pass_around(writer, step, across, of_hosts);
  if (per_host > 1) get_from_owners(writer, step, inside, of_places);
  return writer.take();
}

}  // namespace trireme::plan
