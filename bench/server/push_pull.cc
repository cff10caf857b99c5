// How long a worker waits for one update: it pushes a gradient to a server in another process, which updates
// its weights by sgd, and pulls the new weights:
//
//   push_pull_bench [MEGABYTES [ROUNDS]]
//
// Over shared memory it is compared with two plain copies of as many bytes in the worker, of the kind that is
// faster in this round, with or without streaming stores; over TCP with bare sockets that send as many bytes
// there and back. Each round does both, one after the other. A figure is the median over the rounds; beside
// it is the least, which other processes disturb least. The last line is the table once more, as JSON.
#include <fcntl.h>
#include <fmt/format.h>
#include <hwy/aligned_allocator.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/system/fd.h"
#include "copies.h"
#include "server/share_client.h"
#include "server/share_server.h"
#include "wire/shm/segment.h"
#include "wire/shm/shm.h"
#include "wire/tcp/tcp.h"

namespace {

using namespace trireme;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeout{60};
constexpr int kWarmUps = 2;
constexpr double kRate = 0.01;

struct Size {
  std::int64_t elements = 25'000'000;
  int rounds = 31;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Act>
double seconds_of(Act act) {
  const Clock::time_point start = Clock::now();
  act();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

server::Placement placement_of(const Size& size) {
  rounds::BucketLayout bucket;
  bucket.elements = size.elements;
  bucket.places = {{.gradient = 0, .first = 0, .count = size.elements}};
  return server::place(bucket, 1, /*whole_variables=*/false);
}

// A phase of a single gradient, so that something else can be measured between two.
server::Phase phase_of(int round) { return {.first = round, .gradients = 1}; }

/// The rounds of the server. `between` is its part of what is measured between.
template <typename Between>
void serve(wire::Wire& wire, const Size& size, Between between) {
  const server::Placement placement = placement_of(size);
  auto seats = server::make_seats(wire, 1, placement, kTimeout);
  std::vector<float> memory(idx(size.elements), 0.5F);
  server::ShareWeights weights(placement.shares[0], {{memory, optim::vector_of(size.elements)}});
  server::ShareServer server(wire, seats, weights, {.mode = {.kind = plan::Mode::Kind::kAsync}},
                             server::StalenessRate::kNone, kTimeout);
  for (int round = 0; round < size.rounds + kWarmUps; ++round) {
    server.serve(phase_of(round), [](std::size_t /*variable*/, double rate) {
      return RuleSpec{.kind = RuleKind::kSgd, .rate = rate};
    });
    between();
  }
}

struct Times {
  std::vector<double> update;
  std::vector<double> beside;
};

/// The rounds of the worker. `between` returns how long its measurement took.
template <typename Between>
Times work(wire::Wire& wire, const Size& size, Between between) {
  const server::Placement placement = placement_of(size);
  auto seats = server::make_seats(wire, 1, placement, kTimeout);
  server::ShareClient client(seats, placement, 0, 1, kTimeout);
  Times times;
  for (int round = 0; round < size.rounds + kWarmUps; ++round) {
    const std::int64_t number = client.begin(phase_of(round));
    std::ranges::fill(client.numbers(0), 0.25F);
    client.set_has_gradient(0, {true});
    const double update = seconds_of([&] { client.push({.number = number, .rate = kRate}); });
    static_cast<void>(client.leave(0));
    const double beside = between();
    if (round < kWarmUps) continue;
    times.update.push_back(update);
    times.beside.push_back(beside);
  }
  return times;
}

/// Runs the server's part in another process and the worker's in this one.
template <typename Serve, typename Work>
Times in_two_processes(Serve serve_part, Work work_part) {
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw_errno("start a process");
  if (process == 0) {
    try {
      serve_part();
      ::_exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "push_pull_bench: server: {}\n", error.what());
      ::_exit(1);
    }
  }
  const Times times = work_part();
  int status = 0;
  ::waitpid(process, &status, 0);
  if (status != 0) throw bad_input("the server has failed");
  return times;
}

Times over_shared_memory(const Size& size) {
  const std::shared_ptr<wire::shm::Segment> segment = wire::shm::Segment::create(2);
  return in_two_processes(
      [&] {
        wire::shm::ShmWire wire(segment, 1);
        serve(wire, size, [] {});
      },
      [&] {
        wire::shm::ShmWire wire(segment, 0);
        const std::size_t count = idx(size.elements);
        const auto from = hwy::AllocateAligned<float>(count);
        const auto into = hwy::AllocateAligned<float>(count);
        std::fill_n(from.get(), count, 1.0F);
        std::fill_n(into.get(), count, 2.0F);
        const auto copy = [](const float* source, float* to, std::size_t elements) {
          wire::copy_bytes(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(source),
                           elements * sizeof(float));
        };
        const auto there_and_back = [&](auto copy_all) {
          return seconds_of([&] {
            copy_all(from.get(), into.get(), count);
            copy_all(into.get(), from.get(), count);
          });
        };
        return work(wire, size, [&] {
          return std::min(there_and_back(copy), there_and_back(rules_bench::copy_streaming));
        });
      });
}

// Two ends of a connection over loopback.
std::pair<Fd, Fd> connection() {
  const Fd listener = own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "listen");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), name, length) != 0 || ::listen(listener.get(), 1) != 0 ||
      ::getsockname(listener.get(), name, &length) != 0) {
    throw_errno("listen");
  }
  Fd one = own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "connect");
  if (::connect(one.get(), name, length) != 0) throw_errno("connect");
  Fd other = own(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept");
  const int yes = 1;
  for (const Fd* fd : {&one, &other}) ::setsockopt(fd->get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  return {std::move(one), std::move(other)};
}

std::vector<wire::rendezvous::Link> links_of(Rank rank, std::pair<Fd, Fd>& data, std::pair<Fd, Fd>& control) {
  std::vector<wire::rendezvous::Link> links(2);
  wire::rendezvous::Link& link = links[idx(1 - rank)];
  link.data = std::move(rank == 0 ? data.first : data.second);
  link.control = std::move(rank == 0 ? control.first : control.second);
  set_nonblocking(link.data);
  set_nonblocking(link.control);
  return links;
}

void send_all(const Fd& socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw_errno("send");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void receive_all(const Fd& socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (received <= 0) throw_errno("receive");
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
}

Times over_tcp(const Size& size) {
  std::pair<Fd, Fd> data = connection();
  std::pair<Fd, Fd> control = connection();
  const std::pair<Fd, Fd> bare = connection();
  const auto bytes = idx(size.elements) * sizeof(float);
  return in_two_processes(
      [&] {
        wire::tcp::TcpWire wire(1, links_of(1, data, control));
        std::vector<std::byte> numbers(bytes, std::byte{1});
        serve(wire, size, [&] {
          receive_all(bare.second, numbers);
          send_all(bare.second, numbers);
        });
      },
      [&] {
        wire::tcp::TcpWire wire(0, links_of(0, data, control));
        std::vector<std::byte> numbers(bytes, std::byte{1});
        return work(wire, size, [&] {
          return seconds_of([&] {
            send_all(bare.first, numbers);
            receive_all(bare.first, numbers);
          });
        });
      });
}

std::string show(const std::string& wire, const std::string& beside, const Times& times) {
  const auto in_ms = [](double seconds) { return 1e3 * seconds; };
  const double update = in_ms(median(times.update));
  const double other = in_ms(median(times.beside));
  const double least = in_ms(std::ranges::min(times.update));
  const double least_other = in_ms(std::ranges::min(times.beside));
  fmt::print("{:<14} {:>8.2f} {:>13} {:>8.2f} {:>6.2f} {:>10.2f} {:>8.2f} {:>6.2f}\n", wire, update, beside,
             other, update / other, least, least_other, least / least_other);
  return fmt::format(R"({{"wire":"{}","update_ms":{:.3f},"beside":"{}","beside_ms":{:.3f},"ratio":{:.3f},)"
                     R"("least_update_ms":{:.3f},"least_beside_ms":{:.3f},"least_ratio":{:.3f}}})",
                     wire, update, beside, other, update / other, least, least_other, least / least_other);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Size size;
    if (argc > 1) size.elements = std::atoll(argv[1]) * 250'000;
    if (argc > 2) size.rounds = std::atoi(argv[2]);
    if (size.elements < 1 || size.rounds < 1) {
      fmt::print(stderr, "push_pull_bench [MEGABYTES [ROUNDS]]: at least 1 each\n");
      return 2;
    }
    fmt::print("push and pull of {} MB with sgd, in ms: median and least of {}\n", size.elements / 250'000,
               size.rounds);
    const std::string shm = show("shared memory", "two copies", over_shared_memory(size));
    const std::string tcp = show("TCP loopback", "bare sockets", over_tcp(size));
    fmt::print(R"({{"megabytes":{},"rounds":{},"rows":[{},{}]}})"
               "\n",
               size.elements / 250'000, size.rounds, shm, tcp);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "push_pull_bench: {}\n", error.what());
    return 1;
  }
}
