// The one file that sees MPI.
#include "wire/mpi.h"

// The C API alone: the C++ one of old is a library of its own.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>

#include "wire/mpi_calls.h"
#include "wire/mpi_launcher.h"
#include "wire/mpi_start.h"
#include "wire/mpi_wire.h"
#include "wire/patience.h"

namespace trireme {
namespace {

Error mpi_failed(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.what = fmt::format("MPI says: {}", text.data());
  failure.hint = "look at the output of mpirun";
  return Error(std::move(failure));
}

void require_success(int code) {
  if (code != MPI_SUCCESS) throw mpi_failed(code);
}

MPI_Comm own_communicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

class Calls final : public MpiCalls {
 public:
  [[nodiscard]] MPI_Comm messages() const { return messages_; }
  void free() {
    MPI_Comm_free(&messages_);
    MPI_Comm_free(&remarks_);
  }

  Request send(std::span<const std::byte> from, Rank to, int tag) override {
    const Request request = unused();
    require_success(MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_BYTE, to, tag, messages_,
                              &requests_[request]));
    return request;
  }

  std::optional<Arrival> next_from(Rank from) override;

  Request receive(std::span<std::byte> into) override {
    const Request request = unused();
    require_success(
        MPI_Imrecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, &arrived_, &requests_[request]));
    return request;
  }

  bool test(Request request) override;
  void drop(Request request) noexcept override;

  void remark(Rank to, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    require_success(MPI_Isend(nullptr, 0, MPI_BYTE, to, tag, remarks_, &request));
    MPI_Request_free(&request);
  }

  std::optional<Remark> next_remark() override {
    int there = 0;
    MPI_Status status;
    require_success(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, remarks_, &there, &status));
    if (there == 0) return std::nullopt;
    MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, remarks_, MPI_STATUS_IGNORE);
    return Remark{status.MPI_SOURCE, status.MPI_TAG};
  }

 private:
  Request unused() {
    if (unused_.empty()) {
      requests_.push_back(MPI_REQUEST_NULL);
      return requests_.size() - 1;
    }
    const Request request = unused_.back();
    unused_.pop_back();
    return request;
  }

  MPI_Comm messages_ = own_communicator();
  MPI_Comm remarks_ = own_communicator();
  MPI_Message arrived_ = MPI_MESSAGE_NULL;  // found and not received yet
  std::vector<MPI_Request> requests_;
  std::vector<Request> unused_;
};

std::optional<MpiCalls::Arrival> Calls::next_from(Rank from) {
  int there = 0;
  MPI_Status status;
  require_success(MPI_Improbe(from, MPI_ANY_TAG, messages_, &there, &arrived_, &status));
  if (there == 0) return std::nullopt;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return Arrival{.bytes = idx(bytes), .tag = status.MPI_TAG};
}

bool Calls::test(Request request) {
  int ended = 0;
  require_success(MPI_Test(&requests_[request], &ended, MPI_STATUS_IGNORE));
  if (ended == 0) return false;
  unused_.push_back(request);
  return true;
}

void Calls::drop(Request request) noexcept {
  if (requests_[request] == MPI_REQUEST_NULL) return;
  MPI_Cancel(&requests_[request]);
  MPI_Request_free(&requests_[request]);
}

// How many cores the processes of this host may use, all together: mpirun may have bound each to its own.
int cores_of_host(MPI_Comm host) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::sched_getaffinity(0, sizeof(cores), &cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, host);
  return CPU_COUNT(&cores);
}

struct Surroundings {
  MpiPlace place;
  bool on_one_host = true;
};

Surroundings look_around() {
  Surroundings around;
  MpiPlace& place = around.place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &host);
  int on_host = 1;
  MPI_Comm_size(host, &on_host);
  place.crowded = on_host > cores_of_host(host);
  int alone = on_host == place.size ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  around.on_one_host = alone != 0;
  MPI_Comm_free(&host);
  return around;
}

// Outlives a session that has failed.
const TermSignal* last_term = nullptr;

void abort_job() {
  if (last_term->came()) return;  // the job is being ended already
  std::cout.flush();
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

class Session final : public MpiSession {
 public:
  explicit Session(bool ends_mpi) : ends_mpi_(ends_mpi), wire_(around_.place, calls_, *term_) {}
  ~Session() override;

  [[nodiscard]] Rank rank() const override { return around_.place.rank; }
  [[nodiscard]] Rank size() const override { return around_.place.size; }
  [[nodiscard]] bool on_one_host() const override { return around_.on_one_host; }
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes,
                                                           const Deadline& deadline) override;
  [[nodiscard]] Wire& wire() override { return wire_; }
  void give_up() override { given_up_ = true; }

 private:
  void wait(MPI_Request request, const Deadline& deadline);
  [[nodiscard]] Failure why_not_together(const Deadline& deadline) const;

  const bool ends_mpi_;  // false: the program has begun it, and ends it
  const int exceptions_ = std::uncaught_exceptions();
  bool given_up_ = false;
  std::unique_ptr<TermSignal> term_ = std::make_unique<TermSignal>();
  const Surroundings around_ = look_around();
  Calls calls_;
  MpiWire wire_;
};

// An orderly end waits for all others; after a failure nobody may wait for them. The job ends with the
// process, so that the program can say first what happened; until then SIGTERM leaves it the time to do so.
Session::~Session() {
  if (given_up_ || wire_.has_left() || std::uncaught_exceptions() > exceptions_) {
    last_term = term_.release();
    std::atexit(abort_job);
    return;
  }
  calls_.free();
  if (ends_mpi_) MPI_Finalize();
}

std::vector<std::vector<std::byte>> Session::gather(std::span<const std::byte> bytes,
                                                    const Deadline& deadline) {
  wire_.require_here();
  std::vector<std::byte> all(bytes.size() * idx(around_.place.size));
  const int length = static_cast<int>(bytes.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(bytes.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, calls_.messages(), &request);
  wait(request, deadline);
  std::vector<std::vector<std::byte>> by_rank;
  for (auto next = all.begin(); by_rank.size() < idx(around_.place.size); next += length) {
    by_rank.emplace_back(next, next + length);
  }
  return by_rank;
}

void Session::wait(MPI_Request request, const Deadline& deadline) {
  Patience patience(around_.place.crowded);
  int complete = 0;
  while (MPI_Test(&request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete == 0) {
    if (term_->came() || deadline.expired()) {
      Failure failure = why_not_together(deadline);
      wire_.leave(failure);
      throw Error(std::move(failure));
    }
    patience.look_away();
  }
}

Failure Session::why_not_together(const Deadline& deadline) const {
  Failure failure;
  failure.cause = term_->came() ? Failure::Cause::kPeerLost : Failure::Cause::kTimeout;
  failure.what = term_->came() ? "the MPI launcher ends this job (SIGTERM)" : "not all processes have come";
  failure.hint = "look at the output of the other ranks";
  if (!term_->came()) failure = name_stopped(processes_of_mpi_job()).value_or(failure);
  failure.rank = around_.place.rank;
  failure.op = "telling each other who they are";
  failure.elapsed = deadline.elapsed();
  return failure;
}

// One process alone although its launcher started several: each of them would train by itself.
void require_own_launcher() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::optional<LaunchedAs> launched = mpi_launcher();
  if (size > 1 || !launched || launched->processes == 1) return;
  const std::string version = mpi_version().value_or("another MPI");
  throw bad_input(fmt::format("this program is built with {}, but {} has started it: every one of its {} "
                              "processes is rank 0 of 1",
                              version, launched->launcher, launched->processes),
                  fmt::format("start it with the mpirun of {}", version));
}

}  // namespace

std::optional<std::string> mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find_first_of(",\n"));
}

std::unique_ptr<MpiSession> MpiSession::begin(const Deadline& deadline) {
  int begun = 0;
  MPI_Initialized(&begun);
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) throw bad_input("MPI has ended in this process and cannot begin again");
  const MpiStartWatch watch(deadline);
  int threads = MPI_THREAD_SINGLE;
  if (begun == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  try {
    require_own_launcher();
  } catch (...) {
    if (begun == 0) MPI_Finalize();
    throw;
  }
  return std::make_unique<Session>(begun == 0);
}

}  // namespace trireme
