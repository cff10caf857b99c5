#include "launch/ssh/agent.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/exit_status.h"
#include "base/system/fd.h"
#include "base/text.h"
#include "launch/job.h"
#include "launch/program.h"
#include "launch/ssh/agent_word.h"
#include "launch/ssh/host_list.h"
#include "launch/ssh/host_task.h"
#include "wire/rendezvous/address.h"
#include "wire/shm/segment.h"
#include "world/environment.h"
#include "world/world.h"

namespace trireme::launch::ssh {
namespace {

using namespace std::chrono_literals;

constexpr int kRefused = 2;
// The deadline of the task, which follows at once.
constexpr auto kTaskTakes = 60s;
// An agent is more patient than its launcher by this: the launcher knows which host is late and says so.
constexpr std::chrono::nanoseconds kMorePatience = 30s;

// The orders that come in over standard input. Nobody else reads it, and the nodes do not have it.
class Orders {
 public:
  // Waits for the next order. Nothing: no more orders come, or none by the deadline.
  std::optional<Order> next(const Deadline& deadline) {
    while (orders_.empty() && !ended_ && !deadline.expired()) read(100);
    if (orders_.empty()) return std::nullopt;
    Order order = std::move(orders_.front());
    orders_.pop_front();
    return order;
  }

  // The signals that have come. The end of the orders is one, once. The nodes learn who has ended on other
  // hosts.
  std::vector<int> signals(wire::shm::Segment* memory) {
    if (!ended_) read(0);
    std::vector<int> signals;
    for (const Order& order : orders_) {
      if (const auto* one = std::get_if<SignalOrder>(&order)) signals.push_back(one->signal);
      if (const auto* one = std::get_if<EndedOrder>(&order); one != nullptr && memory != nullptr) {
        if (one->rank >= 0 && one->rank < memory->nodes()) memory->mark_dead(one->rank, 0);
      }
    }
    orders_.clear();
    if (ended_ && !told_end_) signals.push_back(SIGTERM);
    told_end_ = ended_;
    return signals;
  }

 private:
  void read(int wait_milliseconds) {
    pollfd in{STDIN_FILENO, POLLIN, 0};
    if (poll(&in, 1, wait_milliseconds) <= 0) return;
    const ssize_t count = read_some(STDIN_FILENO, buffer_);
    ended_ = count <= 0;
    if (ended_) return;
    for (Order& order : reader_.take({buffer_.data(), idx(count)})) orders_.push_back(std::move(order));
  }

  OrderReader reader_;
  std::deque<Order> orders_;
  std::array<char, 4096> buffer_{};
  bool ended_ = false;
  bool told_end_ = false;
};

// A shell may have printed something before that does not end its line.
void tell(const AgentWord& word) { write_all(STDOUT_FILENO, "\n" + encode(word)); }

void enter(const std::string& folder) {
  if (chdir(folder.c_str()) == 0) return;
  std::fputs(
      fmt::format("trireme launch: there is no folder '{}' here; the nodes run in the one that ssh gives\n",
                  printable(folder))
          .c_str(),
      stderr);
}

// Names of hosts may be known to ssh alone, which says which way it came: "FROM PORT HERE PORT".
std::optional<std::string> own_host_of_ssh() {
  const char* connection = std::getenv("SSH_CONNECTION");
  const std::vector<std::string_view> words = split(connection == nullptr ? "" : connection, ' ');
  if (words.size() != 4) return std::nullopt;
  return std::string(words[2]);
}

// The address by which the other hosts reach this one: rank 0's, the first of all.
std::string own_host(const std::vector<std::string>& hosts) {
  std::string own = "127.0.0.1";
  for (std::size_t i = 1; i < hosts.size() && wire::rendezvous::is_loopback(own); ++i) {
    try {
      own = wire::rendezvous::own_host_towards(without_user(hosts[i]));
    } catch (const Error& error) {
      if (const std::optional<std::string> known = own_host_of_ssh()) return *known;
      throw bad_input(error.failure().what, "say where rank 0 listens: --meet host:port");
    }
  }
  return own;
}

struct Listening {
  Fd listener;
  std::string address;
};

// Listens on all interfaces where others reach the address: it may be one of a gateway.
Listening listen_for(const HostTask& task) {
  wire::rendezvous::Address address = task.meet.empty()
                                          ? wire::rendezvous::Address{own_host(task.hosts), 0}
                                          : wire::rendezvous::parse_address(task.meet, "--meet");
  wire::rendezvous::Address bound = address;
  if (!wire::rendezvous::is_loopback(address.host) && address.host != "localhost") bound.host.clear();
  Fd listener = wire::rendezvous::listen_at(bound);
  address.port = wire::rendezvous::port_of(listener);
  return {std::move(listener), wire::rendezvous::to_string(address)};
}

// Stands between the nodes of this host and the launcher.
class NodesHere final : public JobObserver {
 public:
  NodesHere(Orders& orders, wire::shm::Segment* memory) : orders_(orders), memory_(memory) {}

  std::vector<int> more_signals() override { return orders_.signals(memory_); }

  // The launcher also hears which failure the nodes here have told first.
  std::string ended(Rank rank, const RankEnd& end) override {
    NodeEnded word{rank, end};
    if (const std::optional<Failure> first = memory_ == nullptr ? std::nullopt : memory_->first_failure()) {
      word.why = to_string(*first);
      word.culprit = first->culprit ? first->culprit : first->rank;
    }
    return encode(word);
  }

 private:
  Orders& orders_;
  wire::shm::Segment* memory_;  // none in a job that is too large for it
};

JobOptions options_of(const HostTask& task, const Listening& point) {
  JobOptions options;
  options.nodes = task.nodes;
  options.first_rank = task.first_rank;
  options.job_size = task.job_size;
  options.timeout = task.timeout;
  options.environment = {{world::environment::kMeet, point.address},
                         {world::environment::kSecret, task.secret},
                         {world::environment::kHosts, fmt::format("{}", task.hosts.size())}};
  if (!task.wire.empty()) options.environment.emplace_back(world::environment::kWire, task.wire);
  if (point.listener) {
    options.inherited_fds.push_back(point.listener.get());
    options.environment.emplace_back(world::environment::kListener, fmt::format("{}", point.listener.get()));
  }
  if (task.job_size <= wire::shm::Segment::kMostNodes) {
    options.memory = wire::shm::Segment::create(task.job_size);
  }
  options.ends_descendants = true;
  return options;
}

Deadline patience(const HostTask& task) {
  const auto most = std::chrono::nanoseconds::max() - kMorePatience;
  return Deadline::after(std::min(task.timeout.value_or(world::FoundWorld{}.timeout), most) + kMorePatience);
}

int run_task(const HostTask& task, Orders& orders) {
  enter(task.folder);
  const NodeBody body = program(task.program);
  Listening point;
  if (task.first_rank == 0) point = listen_for(task);
  tell(AgentReady{point.address});
  const std::optional<Order> order = orders.next(patience(task));
  if (!order) return kExitFailed;
  const auto* meet = std::get_if<MeetOrder>(&*order);
  if (meet == nullptr) return kExitInterrupted;
  point.address = meet->address;
  JobOptions options = options_of(task, point);
  NodesHere observer(orders, options.memory.get());
  options.observer = &observer;
  const JobEnd end = run_job(options, body);
  return end.interrupted ? kExitInterrupted : end.first_failure ? kExitFailed : kExitDone;
}

}  // namespace

int run_agent() {
  try {
    Orders orders;
    const std::optional<Order> order = orders.next(Deadline::after(kTaskTakes));
    const auto* task = order ? std::get_if<HostTask>(&*order) : nullptr;
    if (task == nullptr) throw bad_input("an agent is started by trireme launch --hosts, not by itself");
    return run_task(*task, orders);
  } catch (const Error& error) {
    tell(AgentRefuses{error.failure().what, error.failure().hint});
    return kRefused;
  }
}

}  // namespace trireme::launch::ssh
