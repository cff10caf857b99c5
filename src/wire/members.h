// The nodes of a wire, by their rank on it: all nodes of the job, or those of a group.
#pragma once

#include <utility>
#include <vector>

#include "base/types.h"

namespace trireme::wire {

/// Errors and the roster name a node by its rank in the job; whoever exchanges uses its rank in the group.
class Members {
 public:
  /// All nodes of a job: both ranks are the same.
  explicit Members(Rank nodes) : size_(nodes) {}
  /// A group: the job's ranks of its members, by their rank in the group.
  explicit Members(std::vector<Rank> job_ranks)
      : size_(static_cast<Rank>(job_ranks.size())), job_ranks_(std::move(job_ranks)) {}

  [[nodiscard]] Rank size() const { return size_; }
  [[nodiscard]] Rank job_rank(Rank member) const {
    return job_ranks_.empty() ? member : job_ranks_[idx(member)];
  }

 private:
  Rank size_;
  std::vector<Rank> job_ranks_;  // empty: the whole job
};

}  // namespace trireme::wire
