#include "wire/mpi/mpi.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>

#include "wire/mpi/mpi_launcher.h"
#include "wire/mpi/mpi_library.h"
#include "wire/mpi/mpi_start.h"
#include "wire/mpi/mpi_wire.h"
#include "wire/waiting/patience.h"

namespace trireme::wire::mpi {
namespace {

// Outlives a session that has failed.
const TermSignal* last_term = nullptr;

void abort_job() {
  if (last_term->came()) return;  // the job is already being ended
  std::cout.flush();
  std::fflush(nullptr);
  mpi_library().abort();
}

class Session final : public MpiSession {
 public:
  Session(MpiLibrary& mpi, bool ends_mpi) : mpi_(mpi), ends_mpi_(ends_mpi), wire_(place_, *calls_, *term_) {}
  ~Session() override;

  [[nodiscard]] Rank rank() const override { return place_.rank; }
  [[nodiscard]] Rank size() const override { return place_.size; }
  [[nodiscard]] bool on_one_host() const override { return place_.on_one_host; }
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes,
                                                           const Deadline& deadline) override;
  [[nodiscard]] Wire& wire() override { return wire_; }
  void give_up() override { given_up_ = true; }

 private:
  void wait(MpiCalls::Request request, const Deadline& deadline);
  [[nodiscard]] Failure why_not_together(const Deadline& deadline) const;

  MpiLibrary& mpi_;
  const bool ends_mpi_;  // false: the program has started MPI and ends it itself
  const int exceptions_ = std::uncaught_exceptions();
  bool given_up_ = false;
  std::unique_ptr<TermSignal> term_ = std::make_unique<TermSignal>();
  const MpiPlace place_ = mpi_.look_around();
  const std::unique_ptr<MpiCalls> calls_ = mpi_.make_calls();
  MpiWire wire_;
};

// A normal end waits for all others; after a failure nobody may wait for them. Then the job ends with the
// process, so that the program can first report what happened; until then SIGTERM leaves it the time to do
// so.
Session::~Session() {
  if (given_up_ || wire_.has_left() || std::uncaught_exceptions() > exceptions_) {
    last_term = term_.release();
    std::atexit(abort_job);
    return;
  }
  wire_.free_groups();
  calls_->free();
  if (ends_mpi_) mpi_.end();
}

std::vector<std::vector<std::byte>> Session::gather(std::span<const std::byte> bytes,
                                                    const Deadline& deadline) {
  wire_.require_here();
  std::vector<std::byte> all(bytes.size() * idx(place_.size));
  const auto length = static_cast<std::ptrdiff_t>(bytes.size());
  wait(calls_->gather(bytes, all), deadline);
  std::vector<std::vector<std::byte>> by_rank;
  for (auto next = all.begin(); by_rank.size() < idx(place_.size); next += length) {
    by_rank.emplace_back(next, next + length);
  }
  return by_rank;
}

void Session::wait(MpiCalls::Request request, const Deadline& deadline) {
  Patience patience(place_.crowded);
  while (!calls_->test(request)) {
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
  failure.rank = place_.rank;
  failure.op = "telling each other who they are";
  failure.elapsed = deadline.elapsed();
  return failure;
}

// MPI sees one process although its launcher started several: each of them would train by itself.
void require_own_launcher(const MpiLibrary& mpi) {
  const Rank size = mpi.size();
  const std::optional<LaunchedAs> launched = mpi_launcher();
  if (size > 1 || !launched || launched->processes == 1) return;
  const std::string version = mpi.version();
  throw bad_input(fmt::format("this program is built with {}, but {} has started it: every one of its {} "
                              "processes is rank 0 of 1",
                              version, launched->launcher, launched->processes),
                  fmt::format("start it with the mpirun of {}", version));
}

}  // namespace

std::optional<std::string> mpi_version() {
  try {
    return mpi_library().version();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::unique_ptr<MpiSession> MpiSession::begin(const Deadline& deadline) {
  MpiLibrary& mpi = mpi_library();
  if (mpi.has_ended()) throw bad_input("MPI has ended in this process and cannot begin again");
  const bool begins = !mpi.has_begun();
  const MpiStartWatch watch(deadline);
  if (begins) mpi.begin();
  try {
    require_own_launcher(mpi);
  } catch (...) {
    if (begins) mpi.end();
    throw;
  }
  return std::make_unique<Session>(mpi, begins);
}

}  // namespace trireme::wire::mpi
