// The one file that includes mpi.h: the module that the MPI wire loads.
// It uses only the C API; the old C++ API is a separate library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "wire/mpi/mpi_library.h"

namespace trireme::wire::mpi {
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

MPI_Comm duplicate(MPI_Comm all) {
  MPI_Comm comm = MPI_COMM_NULL;
  require_success(MPI_Comm_dup(all, &comm));
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

MPI_Comm communicator_among(MPI_Comm all, std::span<const Rank> ranks, int tag) {
  MPI_Group everybody = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(all, &everybody);
  MPI_Group_incl(everybody, static_cast<int>(ranks.size()), ranks.data(), &group);
  const int code = MPI_Comm_create_group(all, group, tag, &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&everybody);
  require_success(code);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

class Calls final : public MpiCalls {
 public:
  Calls() : messages_(duplicate(MPI_COMM_WORLD)), remarks_(duplicate(MPI_COMM_WORLD)) {}
  /// Without remarks.
  explicit Calls(MPI_Comm messages) : messages_(messages) {}

  std::unique_ptr<MpiCalls> among(std::span<const Rank> ranks, int tag) override {
    return std::make_unique<Calls>(communicator_among(messages_, ranks, tag));
  }

  std::unique_ptr<MpiCalls> twin() override { return std::make_unique<Calls>(duplicate(messages_)); }

  Request send(std::span<const std::byte> from, Rank to, int tag) override {
    const Request request = unused();
    require_success(MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_BYTE, to, tag, messages_,
                              &requests_[request]));
    return request;
  }

  std::optional<Arrival> next_from(Rank from, int tag) override;

  Request receive(std::span<std::byte> into) override {
    const Request request = unused();
    require_success(
        MPI_Imrecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, &arrived_, &requests_[request]));
    return request;
  }

  Request gather(std::span<const std::byte> own, std::span<std::byte> all) override {
    const Request request = unused();
    const int length = static_cast<int>(own.size());
    require_success(MPI_Iallgather(own.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, messages_,
                                   &requests_[request]));
    return request;
  }

  void free() override {
    MPI_Comm_free(&messages_);
    if (remarks_ != MPI_COMM_NULL) MPI_Comm_free(&remarks_);
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

  MPI_Comm messages_;
  MPI_Comm remarks_ = MPI_COMM_NULL;
  MPI_Message arrived_ = MPI_MESSAGE_NULL;  // found but not received yet
  std::vector<MPI_Request> requests_;
  std::vector<Request> unused_;
};

std::optional<MpiCalls::Arrival> Calls::next_from(Rank from, int tag) {
  int there = 0;
  MPI_Status status;
  require_success(
      MPI_Improbe(from, tag == kAnyTag ? MPI_ANY_TAG : tag, messages_, &there, &arrived_, &status));
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

// The number of cores that all processes of this host together may use: mpirun may have bound each to its
// own.
int cores_of_host(MPI_Comm host) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::sched_getaffinity(0, sizeof(cores), &cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, host);
  return CPU_COUNT(&cores);
}

MpiPlace find_place() {
  MpiPlace place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &host);
  int on_host = 1;
  MPI_Comm_size(host, &on_host);
  place.crowded = on_host > cores_of_host(host);
  int alone = on_host == place.size ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  place.on_one_host = alone != 0;
  MPI_Comm_free(&host);
  return place;
}

class Library final : public MpiLibrary {
 public:
  [[nodiscard]] std::string version() const override {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string whole(text.data());
    return whole.substr(0, whole.find_first_of(",\n"));
  }

  [[nodiscard]] bool has_begun() const override {
    int begun = 0;
    MPI_Initialized(&begun);
    return begun != 0;
  }

  [[nodiscard]] bool has_ended() const override {
    int ended = 0;
    MPI_Finalized(&ended);
    return ended != 0;
  }

  void begin() override {
    int threads = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  }

  void end() override { MPI_Finalize(); }
  void abort() override { MPI_Abort(MPI_COMM_WORLD, 1); }
  [[nodiscard]] MpiPlace look_around() override { return find_place(); }
  [[nodiscard]] std::unique_ptr<MpiCalls> make_calls() override { return std::make_unique<Calls>(); }

  [[nodiscard]] Rank size() const override {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
  }
};

}  // namespace
}  // namespace trireme::wire::mpi

extern "C" __attribute__((visibility("default"))) trireme::wire::mpi::MpiLibrary* trireme_mpi_library_3() {
  static trireme::wire::mpi::Library library;
  return &library;
}
