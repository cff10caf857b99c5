// One way in which a job under MPI fails: mpirun -n 4 mpi_case CASE
// Every process that fails prints one line on stderr.
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "exec/runner.h"
#include "wire/mpi/mpi.h"
#include "wire/mpi/mpi_lane.h"
#include "wire/point_to_point.h"

namespace trireme {
namespace {

using namespace std::chrono_literals;

constexpr Rank kCulprit = 2;
constexpr std::size_t kSegmentBytes = wire::mpi::MpiLane::kSegmentBytes;

// One good exchange, then one in which the culprit does not take part.
void exchange_without_culprit(wire::mpi::MpiSession& session, const std::function<void()>& instead,
                              std::chrono::seconds limit) {
  plan::PlanSpec spec;
  spec.strategy = plan::Strategy::kRing;
  spec.workers = session.size();
  spec.parameters = 1000;
  exec::Runner runner(spec, exec::ElementType::kFloat32, session.wire());
  std::vector<std::byte> buffer(4000);
  runner.run(buffer, Deadline::after(60s));
  if (session.rank() == kCulprit) instead();
  runner.run(buffer, Deadline::after(limit));
}

// Sends from rank 0 to rank 1.
void send_and_receive(wire::mpi::MpiSession& session, std::size_t sent, std::size_t received,
                      OpId id_received) {
  std::vector<std::byte> bytes(session.rank() == 0 ? sent : received);
  wire::Batch batch;
  if (session.rank() == 0) session.wire().post_send(batch, 1, 5, bytes);
  if (session.rank() == 1) session.wire().post_receive(batch, 0, id_received, bytes, wire::copy_bytes);
  try {
    session.wire().wait(batch, Deadline::after(60s));
  } catch (const Error& error) {
    session.wire().leave(error.failure());
    throw;
  }
}

// Likewise with a tag. Another message follows, so that the first does not stand out by being the last.
void send_and_receive_tagged(wire::mpi::MpiSession& session, std::size_t sent, std::size_t received) {
  std::vector<std::byte> bytes(session.rank() == 0 ? sent : received);
  std::vector<std::byte> more(100);
  wire::PointToPoint post(session.wire());
  wire::Batch batch;
  for (std::vector<std::byte>* each : {&bytes, &more}) {
    if (session.rank() == 0) post.post_send(batch, 1, 5, *each);
    if (session.rank() == 1) post.post_receive(batch, 0, 5, *each);
  }
  try {
    session.wire().wait(batch, Deadline::after(60s));
  } catch (const Error& error) {
    session.wire().leave(error.failure());
    throw;
  }
}

using Case = std::function<void(wire::mpi::MpiSession&)>;

const std::map<std::string, Case> kCases = {
    {"stopped",
     [](wire::mpi::MpiSession& s) {
       exchange_without_culprit(
           s, [] { ::raise(SIGSTOP); }, 2s);
     }},
    {"killed",
     [](wire::mpi::MpiSession& s) {
       exchange_without_culprit(
           s, [] { ::raise(SIGKILL); }, 60s);
     }},
    {"throws",
     [](wire::mpi::MpiSession& s) {
       exchange_without_culprit(
           s, [] { throw std::runtime_error("a bug of the program"); }, 60s);
     }},
    {"shorter", [](wire::mpi::MpiSession& s) { send_and_receive(s, 100, 200, 5); }},
    {"longer", [](wire::mpi::MpiSession& s) { send_and_receive(s, 200, 100, 5); }},
    {"longer-by-segments",
     [](wire::mpi::MpiSession& s) { send_and_receive(s, 5 * kSegmentBytes, kSegmentBytes, 5); }},
    {"shorter-by-segments",
     [](wire::mpi::MpiSession& s) { send_and_receive(s, kSegmentBytes, 5 * kSegmentBytes, 5); }},
    {"other-op", [](wire::mpi::MpiSession& s) { send_and_receive(s, 100, 100, 6); }},
    {"tagged-shorter", [](wire::mpi::MpiSession& s) { send_and_receive_tagged(s, 100, 200); }},
    {"tagged-longer", [](wire::mpi::MpiSession& s) { send_and_receive_tagged(s, 200, 100); }},
    {"tagged-longer-by-segments",
     [](wire::mpi::MpiSession& s) { send_and_receive_tagged(s, 5 * kSegmentBytes, kSegmentBytes); }},
    {"tagged-longer-by-a-few",
     [](wire::mpi::MpiSession& s) { send_and_receive_tagged(s, kSegmentBytes + 100, kSegmentBytes); }},
    {"tagged-shorter-by-segments",
     [](wire::mpi::MpiSession& s) { send_and_receive_tagged(s, kSegmentBytes, 5 * kSegmentBytes); }},
    {"tagged-late",
     [](wire::mpi::MpiSession& s) {
       std::vector<std::byte> bytes(100);
       wire::PointToPoint post(s.wire());
       wire::Batch batch;
       if (s.rank() == kCulprit) std::this_thread::sleep_for(1h);
       post.post_receive(batch, kCulprit, 5, bytes);
       s.wire().wait(batch, Deadline::after(1s));
     }},
    {"nothing", [](wire::mpi::MpiSession&) {}},
};

// The actions of the culprit instead of reaching the start of MPI.
const std::map<std::string, std::function<void()>> kBeforeStart = {
    {"stopped-before-start", [] { ::raise(SIGSTOP); }},
    {"late-for-start", [] { std::this_thread::sleep_for(1h); }},
};

void run(const std::string& name) {
  const auto before = kBeforeStart.find(name);
  if (before == kBeforeStart.end())
    return kCases.at(name)(*wire::mpi::MpiSession::begin(Deadline::after(60s)));
  const char* const rank = std::getenv("PMIX_RANK");
  if (rank != nullptr && rank == std::to_string(kCulprit)) before->second();
  (void)wire::mpi::MpiSession::begin(Deadline::after(2s));
}

void say(const Error& error) {
  std::string line = error.what();
  if (error.failure().culprit) line += ", culprit " + std::to_string(*error.failure().culprit);
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace
}  // namespace trireme

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  if (!trireme::kCases.contains(name) && !trireme::kBeforeStart.contains(name)) {
    std::fprintf(stderr, "mpi_case: name a case\n");
    return 2;
  }
  try {
    trireme::run(name);
  } catch (const trireme::Error& error) {
    trireme::say(error);
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
