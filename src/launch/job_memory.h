// Memory that the nodes which one launcher starts on this host share with it.
#pragma once

#include <memory>

#include "launch/job.h"
#include "wire/shm/segment.h"

namespace trireme::launch {

/// The nodes inherit it and find it by TRIREME_SEGMENT. There they say what fails first, however they
/// exchange, and learn which nodes have ended. Where all nodes of the job are on this host, they may exchange
/// through it.
[[nodiscard]] std::shared_ptr<wire::shm::Segment> share_memory(JobOptions& options);

}  // namespace trireme::launch
