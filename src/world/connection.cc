#include "world/connection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "wire/mpi/mpi.h"
#include "wire/rendezvous/rendezvous.h"
#include "wire/shm/shm.h"
#include "wire/tcp/mixed.h"
#include "wire/tcp/tcp.h"
#include "wire/threads/in_process.h"
#include "world/environment.h"
#include "world/hosts.h"
#include "world/meeting_place.h"

namespace trireme::world {
namespace {

// A job of one has nobody to talk to.
class Alone final : public Connection {
 public:
  wire::Wire& wire() override { return fabric_.wire(0); }
  [[nodiscard]] std::string in_words() const override { return "one node, alone"; }

 private:
  wire::threads::InProcessFabric fabric_{1};
};

class Connected final : public Connection {
 public:
  Connected(std::unique_ptr<wire::Wire> wire, std::string words)
      : wire_(std::move(wire)), words_(std::move(words)) {}

  wire::Wire& wire() override { return *wire_; }
  [[nodiscard]] std::string in_words() const override { return words_; }

 private:
  std::unique_ptr<wire::Wire> wire_;
  std::string words_;
};

// Through memory that the nodes have found when they met: the launcher, who has another, is told at the end.
class TellsLauncher final : public Connection {
 public:
  TellsLauncher(std::unique_ptr<Connection> connection, std::shared_ptr<wire::shm::Segment> shared,
                std::shared_ptr<wire::shm::Segment> launcher)
      : connection_(std::move(connection)), shared_(std::move(shared)), launcher_(std::move(launcher)) {}
  ~TellsLauncher() override {
    const std::optional<Failure> failure = shared_->first_failure();
    if (launcher_ && failure) launcher_->fail(*failure);
  }

  wire::Wire& wire() override { return connection_->wire(); }
  [[nodiscard]] std::string in_words() const override { return connection_->in_words(); }

 private:
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<wire::shm::Segment> shared_;
  std::shared_ptr<wire::shm::Segment> launcher_;
};

class ByMpi final : public Connection {
 public:
  explicit ByMpi(std::unique_ptr<wire::mpi::MpiSession> session) : session_(std::move(session)) {}

  wire::Wire& wire() override { return session_->wire(); }
  [[nodiscard]] std::string in_words() const override {
    return fmt::format("{} by {}", counted(session_->size(), "node"),
                       wire::mpi::mpi_version().value_or("MPI"));
  }

 private:
  std::unique_ptr<wire::mpi::MpiSession> session_;
};

// MPI to meet, something faster to exchange: MPI ends after the wire.
class MetByMpi final : public Connection {
 public:
  MetByMpi(std::unique_ptr<wire::mpi::MpiSession> session, std::shared_ptr<wire::shm::Segment> segment,
           std::unique_ptr<Connection> connection)
      : session_(std::move(session)), segment_(std::move(segment)), connection_(std::move(connection)) {}
  // A node that has failed may never come to the end of MPI.
  ~MetByMpi() override {
    if (segment_->first_failure()) session_->give_up();
  }

  wire::Wire& wire() override { return connection_->wire(); }
  [[nodiscard]] std::string in_words() const override { return connection_->in_words(); }

 private:
  std::unique_ptr<wire::mpi::MpiSession> session_;
  std::shared_ptr<wire::shm::Segment> segment_;
  std::unique_ptr<Connection> connection_;
};

std::unique_ptr<Connection> by_shared_memory(const std::shared_ptr<wire::shm::Segment>& segment, Rank rank) {
  const std::string words = counted(segment->nodes(), "node") + " on one host, through shared memory";
  return std::make_unique<Connected>(std::make_unique<wire::shm::ShmWire>(segment, rank), words);
}

// A launcher that ours has started passes on the variable, but not the memory.
std::shared_ptr<wire::shm::Segment> open_inherited(const FoundWorld& world) {
  try {
    return wire::shm::Segment::open(*world.segment_fd);
  } catch (const Error& error) {
    const auto other = std::find_if(world.sightings.begin(), world.sightings.end(), [](const Sighting& seen) {
      return seen.verdict == Sighting::Verdict::kOuter;
    });
    if (other == world.sightings.end()) throw;
    throw bad_input(error.failure().what,
                    fmt::format("is it one launcher inside another, {} and {}? Start the program with one of "
                                "them",
                                world.source, other->source));
  }
}

std::shared_ptr<wire::shm::Segment> inherited_memory(const FoundWorld& world) {
  std::shared_ptr<wire::shm::Segment> segment = open_inherited(world);
  if (segment->nodes() != world.size) {
    throw bad_input(fmt::format("this is rank {} of {}, but the shared memory is that of {} nodes",
                                world.rank, world.size, segment->nodes()),
                    "start the program with trireme launch");
  }
  return segment;
}

// The launcher's memory, if there is one, tells who has ended, and is told why this node fails.
wire::rendezvous::Met meet_the_others(const FoundWorld& world, const std::vector<std::byte>& card,
                                      const std::shared_ptr<wire::shm::Segment>& launcher,
                                      const Deadline& deadline) {
  try {
    for (;;) {
      MeetingPoint point = find_meeting_point(world, deadline);
      if (launcher) point.place.has_ended = [launcher](Rank rank) { return launcher->has_ended(rank); };
      const std::function<bool()> has_moved = point.place.has_moved;
      try {
        return wire::rendezvous::meet(std::move(point.place), point.secret, card, deadline);
      } catch (const Error&) {
        if (deadline.expired() || !has_moved || !has_moved()) throw;
      }
    }
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (!failure.rank) failure.rank = world.rank;
    if (launcher) launcher->fail(failure);
    throw;
  }
}

std::unique_ptr<Connection> by_meeting(const FoundWorld& world, wire::WireKind wire,
                                       const Deadline& deadline) {
  const std::shared_ptr<wire::shm::Segment> launcher = world.segment_fd ? inherited_memory(world) : nullptr;
  const SharedPage page;
  wire::rendezvous::Met met = meet_the_others(world, page.card(), launcher, deadline);
  auto tcp = std::make_unique<wire::tcp::TcpWire>(world.rank, std::move(met.links));
  tcp->report_to(launcher);
  Hosts hosts = find_hosts(*tcp, met.cards, deadline);
  const std::string nodes = counted(world.size, "node");
  const std::vector<bool> here = hosts.here(world.rank);
  tcp->settle_in(hosts.segment, std::count(here.begin(), here.end(), true));
  if (wire == wire::WireKind::kTcp) return std::make_unique<Connected>(std::move(tcp), nodes + " by TCP");
  if (hosts.count() == 1) {
    return std::make_unique<TellsLauncher>(by_shared_memory(hosts.segment, world.rank), hosts.segment,
                                           launcher);
  }
  if (wire == wire::WireKind::kShm) {
    throw bad_input(fmt::format("{} on {} hosts do not share memory", nodes, hosts.count()),
                    "let the wire be auto or tcp");
  }
  const std::string words = fmt::format("{} on {} hosts", nodes, hosts.count());
  if (hosts.count() == world.size) return std::make_unique<Connected>(std::move(tcp), words + ", by TCP");
  auto shm = std::make_unique<wire::shm::ShmWire>(hosts.segment, world.rank);
  return std::make_unique<Connected>(
      std::make_unique<wire::tcp::MixedWire>(std::move(shm), std::move(tcp), here),
      words + ", through shared memory inside and by TCP between them");
}

// Slurm that speaks neither PMI nor PMIx starts processes of which MPI knows nothing.
std::unique_ptr<wire::mpi::MpiSession> begin_mpi(const FoundWorld& world, const Deadline& deadline) {
  try {
    return wire::mpi::MpiSession::begin(deadline);
  } catch (const Error& error) {
    if (world.source != "Slurm") throw;
    throw bad_input(error.failure().what,
                    fmt::format("start it with srun --mpi=pmix, or set {}=host:port and a secret in {}",
                                environment::kMeet, environment::kSecretFile));
  }
}

std::unique_ptr<wire::mpi::MpiSession> start_mpi(const FoundWorld& world, const Deadline& deadline) {
  std::unique_ptr<wire::mpi::MpiSession> session = begin_mpi(world, deadline);
  if (session->rank() == world.rank && session->size() == world.size) return session;
  throw bad_input(fmt::format("MPI says rank {} of {}, but {} says rank {} of {}", session->rank(),
                              session->size(), world.source, world.rank, world.size),
                  "start the program with one launcher");
}

bool is_mpi_launcher(const std::string& source) {
  return source == kOpenMpiSource || source == "PMI" || source == "PMIx" || source == "Slurm";
}

// One host, as MPI sees it: the nodes find each other's memory, and tell each other through MPI.
std::unique_ptr<Connection> by_mpi_or_memory(const FoundWorld& world, wire::WireKind wire,
                                             const Deadline& deadline) {
  std::unique_ptr<wire::mpi::MpiSession> session = start_mpi(world, deadline);
  if (!session->on_one_host() && wire == wire::WireKind::kAuto)
    return std::make_unique<ByMpi>(std::move(session));
  const SharedPage page;
  Hosts hosts = find_hosts(session->wire(), session->gather(page.card(), deadline), deadline);
  if (hosts.count() == 1) {
    std::unique_ptr<Connection> shm = by_shared_memory(hosts.segment, world.rank);
    return std::make_unique<MetByMpi>(std::move(session), std::move(hosts.segment), std::move(shm));
  }
  if (wire == wire::WireKind::kShm) {
    throw bad_input(fmt::format("the nodes are on {} hosts, which do not share memory", hosts.count()),
                    "let the wire be auto or mpi");
  }
  return std::make_unique<ByMpi>(std::move(session));
}

enum class Way { kAlone, kMpi, kInheritedMemory, kMpiOrMemory, kMeeting };

Way choose_way(const FoundWorld& world, wire::WireKind wire) {
  if (world.size == 1)
    return wire == wire::WireKind::kMpi && world.source == kOpenMpiSource ? Way::kMpi : Way::kAlone;
  if (wire == wire::WireKind::kThreads) {
    throw bad_input("threads connect the nodes of one process, and this is one of several",
                    fmt::format("let {} be auto, shm, tcp or mpi", environment::kWire));
  }
  if (wire == wire::WireKind::kMpi) return Way::kMpi;
  if (inherits_memory(world)) return Way::kInheritedMemory;
  const bool by_mpi = wire != wire::WireKind::kTcp && !world.meet && is_mpi_launcher(world.source) &&
                      wire::mpi::mpi_version();
  return by_mpi ? Way::kMpiOrMemory : Way::kMeeting;
}

}  // namespace

bool inherits_memory(const FoundWorld& world) {
  const bool on_one_host = !world.several_hosts.value_or(false);
  return world.segment_fd && on_one_host && world.wire != wire::WireKind::kTcp &&
         world.wire != wire::WireKind::kMpi;
}

void require_way_to_connect(const FoundWorld& world) {
  if (choose_way(world, world.wire.value_or(wire::WireKind::kAuto)) == Way::kMeeting)
    require_meeting_point(world);
}

std::unique_ptr<Connection> connect(const FoundWorld& world, const Deadline& deadline) {
  const wire::WireKind wire = world.wire.value_or(wire::WireKind::kAuto);
  switch (choose_way(world, wire)) {
    case Way::kAlone:
      return std::make_unique<Alone>();
    case Way::kMpi:
      return std::make_unique<ByMpi>(start_mpi(world, deadline));
    case Way::kInheritedMemory:
      if (world.listener_fd) ::close(*world.listener_fd);  // for nodes that meet by TCP
      return by_shared_memory(inherited_memory(world), world.rank);
    case Way::kMpiOrMemory:
      return by_mpi_or_memory(world, wire, deadline);
    case Way::kMeeting:
      break;
  }
  return by_meeting(world, wire, deadline);
}

}  // namespace trireme::world
