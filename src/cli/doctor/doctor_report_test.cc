#include "cli/doctor/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trireme::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// A machine without any problem.
Diagnosis healthy() {
  Diagnosis diagnosis;
  diagnosis.world = world::FoundWorld{};
  diagnosis.sightings = {{.source = "torchrun"}};
  diagnosis.host.cores = 8;
  diagnosis.host.memory_left = 32'000'000'000;
  diagnosis.host.shared_huge_pages = "advise";
  diagnosis.host.interfaces = {{"eth0", "192.0.2.2", true, false}};
  diagnosis.software.mpi = "Open MPI v4.1.4";
  diagnosis.software.mpirun = "/usr/bin/mpirun";
  diagnosis.software.mpirun_mpi = "Open MPI";
  diagnosis.software.blas = Blas{"OpenBLAS with OpenMP", "/lib/libblas.so.3", true};
  diagnosis.software.torch = Torch{"1.13.1", "/usr", true};
  diagnosis.wires = {{.wire = "shm", .latency = 0.5e-6, .bandwidth = 30e9}};
  return diagnosis;
}

// The subjects of the advice.
std::vector<std::string> complaints(const Diagnosis& diagnosis) {
  std::vector<std::string> whats;
  for (const Advice& piece : advise(diagnosis)) whats.push_back(piece.what);
  return whats;
}

using Complaints = std::vector<std::string>;

TEST(Doctor, HasNothingToSayWhereAllIsWell) {
  EXPECT_EQ(complaints(healthy()), Complaints{});
  EXPECT_TRUE(healthy().ok());
}

TEST(Doctor, SaysThatAWireFails) {
  Diagnosis diagnosis = healthy();
  diagnosis.wires.push_back({.wire = "tcp", .failure = "nobody listens"});
  EXPECT_EQ(complaints(diagnosis), Complaints{"the wire tcp does not work"});
  EXPECT_FALSE(diagnosis.ok());
}

TEST(Doctor, DoesNotMindAWireThatWasNotTried) {
  Diagnosis diagnosis = healthy();
  diagnosis.wires.push_back({.wire = "mpi", .skipped = "not built in"});
  EXPECT_EQ(complaints(diagnosis), Complaints{});
  EXPECT_TRUE(diagnosis.ok());
}

TEST(Doctor, SaysThatNobodyKnowsWhoTakesPart) {
  Diagnosis diagnosis = healthy();
  diagnosis.world.reset();
  diagnosis.world_failure = "Open MPI says one thing, and PMI another";
  EXPECT_EQ(complaints(diagnosis), Complaints{"a job cannot tell who takes part"});
  EXPECT_FALSE(diagnosis.ok());
}

TEST(Doctor, SaysThatAProgramCannotJoin) {
  Diagnosis diagnosis = healthy();
  diagnosis.join_failure = "nothing connects it with the others";
  EXPECT_EQ(complaints(diagnosis), Complaints{"a program started here cannot join its job"});
  EXPECT_FALSE(diagnosis.ok());
}

TEST(Doctor, NamesTheVariablesThatMayHaveBeenSetByHand) {
  Diagnosis diagnosis = healthy();
  diagnosis.world->source = "trireme launch";
  EXPECT_THAT(doctor_text(diagnosis, {}), HasSubstr("rank 0 of 1, as TRIREME_RANK and TRIREME_SIZE say\n"));
  diagnosis.world->source = world::kRankAndWorldSize;
  EXPECT_THAT(doctor_text(diagnosis, {}), HasSubstr("rank 0 of 1, as RANK and WORLD_SIZE say\n"));
  diagnosis.world->source = "Slurm";
  EXPECT_THAT(doctor_text(diagnosis, {}), HasSubstr("rank 0 of 1, as Slurm says\n"));
}

TEST(Doctor, CountsWorkersAgainstTheCoresOfThisHost) {
  Diagnosis diagnosis = healthy();
  diagnosis.world->size = 16;
  EXPECT_EQ(complaints(diagnosis), Complaints{"16 workers share 8 cores"});
  diagnosis.world->local_size = 8;
  EXPECT_EQ(complaints(diagnosis), Complaints{});
  diagnosis.host.quota = 1.5;
  EXPECT_EQ(complaints(diagnosis),
            (Complaints{"the container may use 1.5 of 8 cores", "8 workers share 2 cores"}));
}

TEST(Doctor, HasARemedyForSmallPages) {
  Diagnosis diagnosis = healthy();
  diagnosis.host.shared_huge_pages = "never";
  ASSERT_EQ(advise(diagnosis).size(), 1U);
  EXPECT_THAT(advise(diagnosis)[0].remedy, HasSubstr("echo advise > /sys/kernel/mm"));
}

TEST(Doctor, NoticesTheLauncherOfAnotherMpi) {
  Diagnosis diagnosis = healthy();
  diagnosis.software.mpirun_mpi = "MPICH";
  EXPECT_EQ(complaints(diagnosis),
            Complaints{"mpirun is that of MPICH, and this program was built with Open MPI v4.1.4"});
}

TEST(Doctor, MissesWhatIsNotInstalled) {
  Diagnosis diagnosis = healthy();
  diagnosis.software = {};
  EXPECT_EQ(complaints(diagnosis), (Complaints{"no MPI", "no libtorch", "no BLAS"}));
  EXPECT_TRUE(diagnosis.ok());
}

TEST(Doctor, AsksForASecretAcrossHosts) {
  Diagnosis diagnosis = healthy();
  diagnosis.world->several_hosts = true;
  EXPECT_EQ(complaints(diagnosis), Complaints{"no secret, and several hosts"});
  diagnosis.world->secret_file = "/run/secret";
  EXPECT_EQ(complaints(diagnosis), Complaints{});
}

TEST(Doctor, NeverTellsTheSecret) {
  Diagnosis diagnosis = healthy();
  diagnosis.world->secret = "open sesame";
  EXPECT_THAT(doctor_text(diagnosis, {}), Not(HasSubstr("sesame")));
  EXPECT_THAT(doctor_text(diagnosis, {}), HasSubstr("TRIREME_SECRET"));
  EXPECT_THAT(doctor_json(diagnosis, {}).dump(), Not(HasSubstr("sesame")));
  EXPECT_EQ(doctor_json(diagnosis, {})["secret"], "TRIREME_SECRET");
}

TEST(Doctor, WritesADocumentWithAllKeys) {
  const report::Json json =
      report::Json::parse(report::document_text(doctor_json(healthy(), advise(healthy()))));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"ok", "world", "world_failure", "join_failure", "launchers",
                                            "host", "interfaces", "secret", "software", "wires", "advice"}));
  EXPECT_EQ(json["wires"][0]["latency_us"], 0.5);
}

TEST(Doctor, WritesADocumentAlsoOfWhatIsNoText) {
  Diagnosis diagnosis = healthy();
  diagnosis.world->meet = "/tmp/\xff";
  diagnosis.software.mpirun = "/\xc3/mpirun";
  EXPECT_EQ(doctor_json(diagnosis, {})["world"]["meet"], "/tmp/?");
  EXPECT_NO_THROW((void)report::document_text(doctor_json(diagnosis, {})));
}

TEST(Doctor, LinesUpWhatItSays) {
  Diagnosis diagnosis = healthy();
  diagnosis.host.dev_shm_bytes = 64'000'000;
  const std::string text = doctor_text(diagnosis, advise(diagnosis));
  EXPECT_THAT(text, HasSubstr("Host\n"
                              "  cores          8, without a quota\n"
                              "  memory left    32 GB\n"
                              "  shared memory  works; /dev/shm has 64 MB (not needed)\n"
                              "  huge pages     shmem_enabled is advise\n\n"));
  EXPECT_THAT(text, HasSubstr("Everything that is needed works.\n"));
}

}  // namespace
}  // namespace trireme::cli
