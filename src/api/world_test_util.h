// Programs that join a job, as the nodes of a test.
#pragma once

#include <gtest/gtest.h>
#include <trireme/trireme.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exec/fabrics_test_util.h"
#include "launch/job.h"
#include "wire/shm/segment.h"

namespace trireme {

using Variables = std::vector<std::pair<std::string, std::string>>;

// A body of a node that expects something, in a process of its own.
inline bool expect(bool condition, const char* what) {
  if (!condition) std::fprintf(stderr, "not so: %s\n", what);
  return condition;
}

// Returns what the act throws, or nothing.
inline std::string thrown_by(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool says(const std::string& text, const char* part) {
  return expect(text.find(part) != std::string::npos, (text + "\n  has no: " + part).c_str());
}

// Every node of a job that shares memory runs the body, which says whether all is as it should be.
inline void on_nodes(Rank nodes, const std::function<bool()>& body, const Variables& variables = {}) {
  launch::JobOptions options;
  options.nodes = nodes;
  options.environment = variables;
  options.memory = wire::shm::Segment::create(nodes);
  const launch::JobEnd end = launch::run_job(options, [&](Rank) { return body() ? 0 : 1; });
  EXPECT_TRUE(end.ok()) << end.first_failure->text;
}

// The same in a job in which a call fails, and so the job: every node still has its say.
inline void on_nodes_that_fail(Rank nodes, const std::function<bool()>& body) {
  launch::JobOptions options;
  options.nodes = nodes;
  options.memory = wire::shm::Segment::create(nodes);
  const exec::SharedBytes right(idx(nodes));
  static_cast<void>(launch::run_job(options, [&](Rank rank) {
    right.data()[rank] = std::byte{body()};
    return 1;
  }));
  for (Rank rank = 0; rank < nodes; ++rank) EXPECT_EQ(right.data()[rank], std::byte{1}) << "rank " << rank;
}

}  // namespace trireme
