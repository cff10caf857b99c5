// Times the best possible result of a TCP connection between two ranks on the loopback interface:
// operations_sockets OPERATION BYTES
// Each rank has its own core, sends its numbers as they are and adds or takes what arrives, without frames,
// checks, waiting or other ranks. Not a peer: the lower limit for all that use TCP.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "measure.h"

namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

class Pair : public peers::Group {
 public:
  Pair(int rank, int socket) : rank_(rank), socket_(socket), scratch_(kPiece) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<unsigned>(rank), &cores);
    sched_setaffinity(0, sizeof(cores), &cores);
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return 2; }
  void barrier() override {
    float nothing = 0;
    combine_with_other<float>({&nothing, 1}, {&nothing, 1}, add);
  }
  void run(peers::Operation operation, std::span<float> from, std::span<float> into, int root) override {
    const std::size_t half = std::max(from.size(), into.size()) / 2;
    const std::size_t mine = rank_ == 0 ? 0 : half, others = half - mine;  // where the chunks begin
    switch (operation) {
      case peers::Operation::kAllreduce:
        return combine_with_other<float>(into, into, add);
      case peers::Operation::kBroadcast:
        return rank_ == root ? move(into, {}) : move({}, into);
      case peers::Operation::kAllGather:
        std::copy_n(from.begin(), half, into.begin() + mine);
        return move(from, into.subspan(others, half));
      case peers::Operation::kReduceScatter:
        std::copy_n(from.begin() + mine, half, into.begin());
        return combine_with_other<float>(from.subspan(others, half), into, add);
      case peers::Operation::kAllToAll:
        std::copy_n(from.begin() + mine, half, into.begin() + mine);
        return move(from.subspan(others, half), into.subspan(others, half));
      case peers::Operation::kPingPong:
        if (rank_ == 0) move(from, {});
        move({}, into);
        if (rank_ == 1) move(from, {});
    }
  }
  void greatest(std::span<double> values) override {
    combine_with_other<double>(values, values, [](double& own, double other) { own = std::max(own, other); });
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{128} << 10;

  static void add(float& own, float other) { own += other; }

  // Sends one and receives the other, at the same time.
  void move(std::span<const float> out, std::span<float> in) {
    std::size_t sent = 0, received = 0;  // bytes
    while (sent < out.size_bytes() || received < in.size_bytes()) {
      if (sent < out.size_bytes()) {
        sent += moved(::send(socket_, at(out, sent), out.size_bytes() - sent, MSG_NOSIGNAL));
      }
      if (received < in.size_bytes()) {
        char* into = reinterpret_cast<char*>(in.data()) + received;
        received += moved(::recv(socket_, into, in.size_bytes() - received, 0));
      }
    }
  }

  // Sends `out` and combines what arrives with `own`, which is as long and may be the same: a received number
  // is combined only after the rank has sent its number at that place.
  template <typename T, typename Combine>
  void combine_with_other(std::span<const T> out, std::span<T> own, Combine combine) {
    const std::size_t bytes = own.size_bytes();
    std::size_t sent = 0, received = 0, begun = 0;  // bytes; `begun`: of a number that has arrived partly
    while (received < bytes) {
      if (sent < bytes) sent += moved(::send(socket_, at(out, sent), bytes - sent, MSG_NOSIGNAL));
      const std::size_t wanted = std::min(sent - received, kPiece) - begun;
      if (wanted == 0) continue;
      const std::size_t there = begun + moved(::recv(socket_, scratch_.data() + begun, wanted, 0));
      const std::size_t whole = there / sizeof(T);
      const T* others = reinterpret_cast<const T*>(scratch_.data());
      for (std::size_t i = 0; i < whole; ++i) combine(own[received / sizeof(T) + i], others[i]);
      received += whole * sizeof(T);
      begun = there - whole * sizeof(T);
      std::copy_n(scratch_.data() + whole * sizeof(T), begun, scratch_.data());
    }
  }

  template <typename T>
  static const char* at(std::span<const T> numbers, std::size_t byte) {
    return reinterpret_cast<const char*>(numbers.data()) + byte;
  }

  static std::size_t moved(ssize_t result) {
    if (result > 0) return static_cast<std::size_t>(result);
    if (result < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    throw std::runtime_error("the other rank is gone");
  }

  int rank_;
  int socket_;
  std::vector<char> scratch_;
};

std::pair<int, int> connected_pair() {
  const int listener = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  checked(bind(listener, any, length), "bind");
  checked(listen(listener, 1), "listen");
  checked(getsockname(listener, any, &length), "getsockname");
  const int one = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
  checked(connect(one, any, length), "connect");
  const int other = checked(accept(listener, nullptr, nullptr), "accept");
  for (const int end : {one, other}) {
    const int on = 1;
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(end, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);  // without pacing
    fcntl(end, F_SETFL, O_NONBLOCK);
  }
  return {one, other};
}

int run_rank(int rank, int socket, peers::Operation operation, std::size_t bytes) {
  try {
    Pair pair(rank, socket);
    peers::measure(pair, operation, bytes);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operations_sockets: rank %d: %s\n", rank, error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::invalid_argument("say OPERATION BYTES");
    const peers::Operation operation = peers::parse_operation(argv[1]);
    const std::size_t bytes = peers::parse_bytes(argv[2]);
    const auto [one, other] = connected_pair();
    const pid_t child = checked(fork(), "fork");
    close(child == 0 ? one : other);
    if (child == 0) _exit(run_rank(1, other, operation, bytes));
    const int failed = run_rank(0, one, operation, bytes);
    close(one);  // a rank that still waits sees it
    int status = 0;
    checked(waitpid(child, &status, 0), "waitpid");
    return failed != 0 || status != 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operations_sockets: %s\n", error.what());
    return 1;
  }
}
