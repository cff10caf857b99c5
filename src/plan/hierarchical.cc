#include "plan/hierarchical.h"

#include "plan/passes.h"

namespace trireme {

Program hierarchical(const PlanSpec& spec, Rank node) {
  const Rank hosts = spec.hosts;
  const Rank per_host = spec.workers / hosts;
  const Rank host = node / per_host;
  const Rank place = node % per_host;
  const Circle inside{per_host, place, [=](Rank at) { return host * per_host + at; }};
  const Circle across{hosts, host, [=](Rank at) { return at * per_host + place; }};

  // A place answers for `hosts` consecutive chunks of the buffer, one for each position in the ring of hosts.
  const auto part_of = [&](Rank at) {
    const std::int64_t first = static_cast<std::int64_t>(at) * hosts;
    return chunks(first, first + hosts, spec.parameters, spec.workers);
  };
  const auto chunk_of_host = [&](Rank at) {
    return chunk(static_cast<std::int64_t>(place) * hosts + at, spec.parameters, spec.workers);
  };

  ProgramWriter writer(spec, node);
  std::int32_t step = 0;
  if (per_host > 1) give_to_owners(writer, step++, inside, part_of, /*completes=*/hosts == 1);
  step = pass_around(writer, step, across, chunk_of_host);
  if (per_host > 1) get_from_owners(writer, step, inside, part_of);
  return writer.take();
}

}  // namespace trireme
