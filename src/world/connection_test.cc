#include "world/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "launch/launch_test_util.h"
#include "wire/notes.h"
#include "wire/rendezvous/address.h"
#include "wire/shm/segment.h"

namespace trireme::world {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "a secret of the tests";

Deadline in_time() { return Deadline::after(60s); }

FoundWorld world_of(Rank rank, Rank size) {
  FoundWorld world;
  world.rank = rank;
  world.size = size;
  world.source = "trireme launch";
  return world;
}

// Every node connects, in a thread of its own, and meets all others at a barrier. Returns how, by rank.
std::vector<std::string> connect_all(Rank size, const std::function<void(FoundWorld&)>& say_more) {
  std::vector<std::string> wires(idx(size));
  {
    std::vector<std::jthread> threads;
    threads.reserve(idx(size));
    for (Rank rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          FoundWorld world = world_of(rank, size);
          say_more(world);
          const std::unique_ptr<Connection> connection = connect(world, in_time());
          EXPECT_EQ(connection->wire().rank(), rank);
          wire::barrier(connection->wire(), in_time());
          wires[idx(rank)] = wire::name(connection->wire().kind());
        } catch (const Error& error) {
          ADD_FAILURE() << "rank " << rank << ": " << error.what();
        }
      });
    }
  }
  return wires;
}

std::vector<std::string> all(Rank size, const char* wire) {
  return std::vector<std::string>(idx(size), wire);
}

std::string refusal(const FoundWorld& world, std::chrono::milliseconds time = 100ms) {
  try {
    static_cast<void>(connect(world, Deadline::after(time)));
  } catch (const Error& error) {
    return error.what();
  }
  return "it connected";
}

TEST(AJobOfOne, NeedsNobody) {
  const std::unique_ptr<Connection> connection = connect(world_of(0, 1), in_time());
  EXPECT_EQ(connection->wire().size(), 1);
}

TEST(NodesThatMeetInAFile, ShareMemoryOnOneHost) {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "meet").string();
  EXPECT_EQ(connect_all(3, [&](FoundWorld& world) { world.meet = file; }), all(3, "shm"));
  EXPECT_FALSE(std::filesystem::exists(file)) << "what is not needed any more is gone";
}

TEST(NodesThatMeetInAFile, UseTcpWhereThatIsWished) {
  const ScratchFolder folder;
  const auto meet_there = [&](FoundWorld& world) {
    world.meet = (folder.path() / "meet").string();
    world.wire = wire::WireKind::kTcp;
  };
  EXPECT_EQ(connect_all(4, meet_there), all(4, "tcp"));
}

TEST(NodesThatMeetInAFile, RefuseOneThatOthersCanRead) {
  const ScratchFolder folder;
  FoundWorld world = world_of(1, 2);
  world.meet = (folder.path() / "meet").string();
  std::ofstream(*world.meet) << "trireme meeting 1\n127.0.0.1:1\nsome secret or other\n";
  ::chmod(world.meet->c_str(), 0644);
  EXPECT_THAT(refusal(world), HasSubstr("is not a file of this user's alone"));
}

TEST(NodesThatMeetInAFile, RefuseWhatIsNoFile) {
  const ScratchFolder folder;
  FoundWorld world = world_of(1, 2);
  world.meet = (folder.path() / "meet").string();
  ASSERT_EQ(::mkfifo(world.meet->c_str(), 0600), 0);
  EXPECT_THAT(refusal(world), HasSubstr("is not a file of this user's alone"));
}

TEST(NodesThatMeetInAFile, LeaveEveryOtherFileAsItIs) {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "thesis").string();
  std::ofstream(file) << "years of work\n";
  for (const mode_t mode : {0600U, 0644U}) {
    ::chmod(file.c_str(), mode);
    for (const Rank rank : {0, 1}) {
      FoundWorld world = world_of(rank, 2);
      world.meet = file;
      EXPECT_THAT(refusal(world),
                  HasSubstr(file + ", where the nodes meet, is there already and is no notice of a "
                                   "job; it was not touched; name a file"));
    }
  }
  EXPECT_EQ(content(file), "years of work\n");
}

TEST(NodesThatMeetInAFile, FollowNoSymbolicLink) {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "meet").string();
  std::filesystem::create_symlink(folder.path() / "elsewhere", file);
  for (const Rank rank : {0, 1}) {
    FoundWorld world = world_of(rank, 2);
    world.meet = file;
    EXPECT_THAT(refusal(world), HasSubstr("is a symbolic link"));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(file));
}

TEST(NodesThatMeetInAFile, SayWhyTheyCannotReadIt) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "file") << "no folder";
  FoundWorld world = world_of(1, 2);
  world.meet = (folder.path() / "file" / "meet").string();
  EXPECT_THAT(refusal(world), HasSubstr("cannot be read: Not a directory"));
}

// Rank 0 comes when the others have read the notice of an earlier job, which was killed.
std::vector<std::string> connect_late(const ScratchFolder& folder, std::uint16_t port_of_killed_job) {
  const std::string file = (folder.path() / "meet").string();
  std::ofstream(file) << "trireme meeting 1\n127.0.0.1:" << port_of_killed_job
                      << "\nthe secret of a killed job\n";
  ::chmod(file.c_str(), 0600);
  return connect_all(2, [&](FoundWorld& world) {
    world.meet = file;
    if (world.rank == 0) std::this_thread::sleep_for(300ms);
  });
}

// Refuses all who connect; as long as it is there nobody else can listen at its port.
Fd take_port() {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return socket;
}

TEST(NodesThatMeetInAFile, WaitForANewerOneWhereNobodyAnswers) {
  const ScratchFolder folder;
  const Fd taken = take_port();
  EXPECT_EQ(connect_late(folder, wire::rendezvous::port_of(taken)), all(2, "shm"));
}

TEST(NodesThatMeetInAFile, WaitForANewerOneWhereAStrangerListens) {
  const ScratchFolder folder;
  const Fd silent = wire::rendezvous::listen_at({"127.0.0.1", 0});
  EXPECT_EQ(connect_late(folder, wire::rendezvous::port_of(silent)), all(2, "shm"));
}

TEST(NodesThatMeetInAFile, SayThatRankZeroHasNotCome) {
  const ScratchFolder folder;
  FoundWorld world = world_of(1, 2);
  world.meet = (folder.path() / "meet").string();
  EXPECT_THAT(refusal(world), HasSubstr("rank 0 has not said in"));
}

TEST(NodesThatMeetAtAnAddress, RefuseAListenerThatIsNone) {
  FoundWorld world = world_of(0, 2);
  world.meet = "127.0.0.1:1";
  world.secret = "a secret that is long enough";
  world.listener_fd = 1;
  EXPECT_THAT(refusal(world), HasSubstr("TRIREME_LISTENER=1 is no socket that listens"));
}

TEST(NodesThatMeetAtAnAddress, ListenThereFirst) {
  Fd listener = wire::rendezvous::listen_at({"127.0.0.1", 0});
  const std::string address = fmt::format("127.0.0.1:{}", wire::rendezvous::port_of(listener));
  const int number = ::dup(listener.get());
  const auto meet_there = [&](FoundWorld& world) {
    world.meet = address;
    world.secret = kSecret;
    if (world.rank == 0) world.listener_fd = number;
  };
  EXPECT_EQ(connect_all(3, meet_there), all(3, "shm"));
}

TEST(NodesThatMeetAtAnAddress, NeedASecret) {
  FoundWorld world = world_of(1, 2);
  world.meet = "127.0.0.1:5000";
  EXPECT_THAT(refusal(world), HasSubstr("nodes that meet at 127.0.0.1:5000 need a secret"));
}

TEST(NodesThatMeetAtAnAddress, NeedAPort) {
  FoundWorld world = world_of(0, 2);
  world.meet = "127.0.0.1:0";
  world.secret = kSecret;
  EXPECT_THAT(refusal(world), HasSubstr("=127.0.0.1:0: nobody can be found at port 0"));
}

TEST(NodesThatDoNotMeet, TellTheirLauncherWhoIsMissing) {
  const std::shared_ptr<wire::shm::Segment> launcher = wire::shm::Segment::create(2);
  FoundWorld world = world_of(0, 2);
  world.meet = "127.0.0.1:0";
  world.secret = kSecret;
  world.wire = wire::WireKind::kTcp;
  world.segment_fd = ::dup(launcher->fd());
  world.listener_fd = ::dup(wire::rendezvous::listen_at({"127.0.0.1", 0}).get());
  EXPECT_THAT(refusal(world), HasSubstr("rank 1 has not come"));
  ASSERT_TRUE(launcher->first_failure());
  EXPECT_EQ(launcher->first_failure()->culprit, 1);
}

TEST(NodesThatDoNotMeet, HearFromTheirLauncherWhoHasEnded) {
  const std::shared_ptr<wire::shm::Segment> launcher = wire::shm::Segment::create(2);
  launcher->mark_dead(0, 4711);
  FoundWorld world = world_of(1, 2);
  const Fd listener = wire::rendezvous::listen_at({"127.0.0.1", 0});
  world.meet = fmt::format("127.0.0.1:{}", wire::rendezvous::port_of(listener));
  world.secret = kSecret;
  world.wire = wire::WireKind::kTcp;
  world.segment_fd = ::dup(launcher->fd());
  EXPECT_THAT(refusal(world, 60s), HasSubstr("rank 0 has ended before it met the others"));
}

TEST(NodesOfSeveralHosts, MeetAlsoWhereTheyInheritMemory) {
  FoundWorld world = world_of(0, 4);
  world.segment_fd = 3;
  EXPECT_TRUE(inherits_memory(world));
  world.several_hosts = true;
  EXPECT_FALSE(inherits_memory(world));
}

TEST(NodesOfAnotherLauncher, MeetOnTheirHostByTheNameOfTheirJob) {
  const auto like_torchrun = [&](FoundWorld& world) {
    world.source = "torchrun";
    world.local_size = world.size;
    world.job_key = fmt::format("torchrun-{}", ::getpid());
  };
  EXPECT_EQ(connect_all(2, like_torchrun), all(2, "shm"));
}

TEST(NodesOfAnotherLauncher, OnSeveralHostsNeedAPlaceToMeet) {
  FoundWorld world = world_of(0, 4);
  world.source = "torchrun";
  world.local_size = 2;
  world.job_key = "torchrun-1";
  EXPECT_THAT(refusal(world), HasSubstr("nothing connects it with the others"));
  EXPECT_THAT(refusal(world), HasSubstr("TRIREME_MEET=host:port"));
}

TEST(Threads, ConnectNoProcesses) {
  FoundWorld world = world_of(0, 2);
  world.wire = wire::WireKind::kThreads;
  EXPECT_THAT(refusal(world), HasSubstr("threads connect the nodes of one process"));
}

TEST(OneLauncherInsideAnother, IsSuspectedWhereTheMemoryWasNotPassedOn) {
  const Fd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  FoundWorld world = world_of(1, 2);
  world.segment_fd = file.get();
  EXPECT_THAT(refusal(world), Not(HasSubstr("one launcher inside another")));
  world.sightings = {{.source = "Open MPI", .verdict = Sighting::Verdict::kOuter}};
  EXPECT_THAT(refusal(world), HasSubstr("one launcher inside another, trireme launch and Open MPI?"));
}

TEST(AWayToConnect, IsKnownToBeMissingBeforehand) {
  FoundWorld world = world_of(1, 2);
  EXPECT_THROW(require_way_to_connect(world), Error);
  world.meet = "127.0.0.1:5000";
  EXPECT_THROW(require_way_to_connect(world), Error) << "a secret is missing";
  world.secret = "open sesame, open sesame";
  EXPECT_NO_THROW(require_way_to_connect(world));
  EXPECT_NO_THROW(require_way_to_connect(world_of(0, 1)));
}

}  // namespace
}  // namespace trireme::world
