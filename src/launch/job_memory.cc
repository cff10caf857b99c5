#include "launch/job_memory.h"

#include <string>

#include "world/environment.h"

namespace trireme::launch {

std::shared_ptr<wire::shm::Segment> share_memory(JobOptions& options) {
  std::shared_ptr<wire::shm::Segment> segment = wire::shm::Segment::create(options.size());
  options.inherited_fds.push_back(segment->fd());
  options.environment.emplace_back(world::environment::kSegment, std::to_string(segment->fd()));
  options.first_failure = [memory = segment.get()] { return memory->first_failure(); };
  options.ended = [memory = segment.get()](Rank rank, const RankEnd& end) {
    memory->mark_dead(rank, end.process);
  };
  return segment;
}

}  // namespace trireme::launch
