// Every way to put nodes on a wire: threads or processes, in-process or shared memory, buffers in windows or
// not. One body of a test runs on all of them.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "exec/exchange_test_util.h"
#include "wire/shm/segment.h"
#include "wire/shm/shm.h"
#include "wire/tcp/links_test_util.h"
#include "wire/tcp/mixed.h"
#include "wire/tcp/tcp.h"
#include "wire/threads/in_process.h"

namespace trireme::exec {

/// The part of one node. It may throw; then the test fails.
using NodeBody = std::function<void(wire::Wire& wire)>;

enum class Fabric { kThreads, kShmThreads, kShmProcesses, kTcpThreads, kTcpProcesses, kMixedThreads };

inline std::string name(Fabric fabric) {
  switch (fabric) {
    case Fabric::kThreads:
      return "threads";
    case Fabric::kShmThreads:
      return "shm_threads";
    case Fabric::kShmProcesses:
      return "shm_processes";
    case Fabric::kTcpThreads:
      return "tcp_threads";
    case Fabric::kTcpProcesses:
      return "tcp_processes";
    case Fabric::kMixedThreads:
      return "mixed_threads";
  }
  return "";
}

/// Memory that the test and all its processes see.
class SharedBytes {
 public:
  explicit SharedBytes(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    void* data = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(data);
  }
  ~SharedBytes() { ::munmap(data_, bytes_); }
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

inline void on_wire(wire::Wire& wire, const NodeBody& body) {
  try {
    body(wire);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "rank " << wire.rank() << ": " << error.what();
  }
}

inline void on_threads_of(Rank nodes, const std::function<void(Rank)>& node) {
  std::vector<std::jthread> threads;
  threads.reserve(idx(nodes));
  for (Rank rank = 0; rank < nodes; ++rank) threads.emplace_back([&, rank] { node(rank); });
}

inline void on_processes_of(
    Rank nodes, const std::function<void(Rank)>& node,
    const std::function<void()>& when_all_have_begun = [] {}) {
  std::vector<pid_t> processes;
  for (Rank rank = 0; rank < nodes; ++rank) {
    const pid_t process = ::fork();
    ASSERT_GE(process, 0);
    if (process == 0) {
      node(rank);
      ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    processes.push_back(process);
  }
  when_all_have_begun();
  for (const pid_t process : processes) {
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "process " << process << ": " << status;
  }
}

inline void on_tcp(bool processes, Rank nodes, const NodeBody& body) {
  std::vector<std::vector<wire::rendezvous::Link>> links = wire::tcp::connected_nodes(nodes);
  const auto node = [&](Rank rank) {
    wire::tcp::TcpWire wire(rank, std::move(links[idx(rank)]));
    if (processes) links.clear();
    on_wire(wire, body);
  };
  // Each process has its own ends alone, so that its connections close when it ends.
  processes ? on_processes_of(nodes, node, [&] { links.clear(); }) : on_threads_of(nodes, node);
}

/// On two hosts, in turn.
inline void on_mixed(Rank nodes, const NodeBody& body) {
  std::vector<std::vector<wire::rendezvous::Link>> links = wire::tcp::connected_nodes(nodes);
  const std::shared_ptr<wire::shm::Segment> hosts[] = {wire::shm::Segment::create(nodes),
                                                       wire::shm::Segment::create(nodes)};
  on_threads_of(nodes, [&](Rank rank) {
    std::vector<bool> here;
    here.reserve(idx(nodes));
    for (Rank peer = 0; peer < nodes; ++peer) here.push_back(peer % 2 == rank % 2);
    wire::tcp::MixedWire wire(std::make_unique<wire::shm::ShmWire>(hosts[rank % 2], rank),
                              std::make_unique<wire::tcp::TcpWire>(rank, std::move(links[idx(rank)])), here);
    on_wire(wire, body);
  });
}

/// Runs the body on every node and waits for all.
inline void run_on(Fabric fabric, Rank nodes, const NodeBody& body) {
  if (fabric == Fabric::kThreads) {
    wire::threads::InProcessFabric in_process(nodes);
    on_threads_of(nodes, [&](Rank rank) { on_wire(in_process.wire(rank), body); });
    return;
  }
  if (fabric == Fabric::kTcpThreads || fabric == Fabric::kTcpProcesses) {
    return on_tcp(fabric == Fabric::kTcpProcesses, nodes, body);
  }
  if (fabric == Fabric::kMixedThreads) return on_mixed(nodes, body);
  const std::shared_ptr<wire::shm::Segment> segment = wire::shm::Segment::create(nodes);
  const auto node = [&](Rank rank) {
    wire::shm::ShmWire wire(segment, rank);
    on_wire(wire, body);
  };
  fabric == Fabric::kShmThreads ? on_threads_of(nodes, node) : on_processes_of(nodes, node);
}

}  // namespace trireme::exec
