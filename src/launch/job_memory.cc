#include "launch/job_memory.h"

#include <string>

#include "launch/environment.h"

namespace trireme {

std::shared_ptr<Segment> share_memory(JobOptions& options) {
  std::shared_ptr<Segment> segment = Segment::create(options.size());
  options.inherited_fds.push_back(segment->fd());
  options.environment.emplace_back(environment::kSegment, std::to_string(segment->fd()));
  options.first_failure = [memory = segment.get()] { return memory->first_failure(); };
  options.ended = [memory = segment.get()](Rank rank, const RankEnd& end) {
    memory->bury(rank, end.process);
  };
  return segment;
}

}  // namespace trireme
