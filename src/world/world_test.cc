#include "world/world.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"

namespace trireme::world {
namespace {

using namespace std::chrono_literals;
using Variables = std::map<std::string, std::string>;
using Verdict = Sighting::Verdict;

FoundWorld find(const Variables& variables) {
  return find_world([&](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  });
}

std::string refusal(const Variables& variables) {
  try {
    (void)find(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
  return "accepted";
}

Variables operator+(Variables one, const Variables& other) {
  one.insert(other.begin(), other.end());
  return one;
}

// Variables of real launchers, as they were seen or as their manuals say.
const Variables kTorchrun = {{"RANK", "5"},
                             {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},
                             {"GROUP_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "4"},
                             {"GROUP_WORLD_SIZE", "2"},
                             {"ROLE_RANK", "5"},
                             {"ROLE_WORLD_SIZE", "8"},
                             {"ROLE_NAME", "default"},
                             {"MASTER_ADDR", "n1"},
                             {"MASTER_PORT", "29500"},
                             {"TORCHELASTIC_RESTART_COUNT", "0"},
                             {"OMP_NUM_THREADS", "1"},
                             {"TORCHELASTIC_RUN_ID", "none"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "3"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"OMPI_COMM_WORLD_NODE_RANK", "1"},
                            {"OMPI_UNIVERSE_SIZE", "4"},
                            {"OMPI_MCA_orte_hnp_uri", "600047616.0;tcp://192.0.2.2:35681"},
                            {"PMIX_NAMESPACE", "600047617"},
                            {"PMIX_RANK", "3"}};
const Variables kHydra = {{"PMI_RANK", "1"},
                          {"PMI_SIZE", "2"},
                          {"PMI_FD", "8"},
                          {"MPI_LOCALRANKID", "1"},
                          {"MPI_LOCALNRANKS", "2"}};
const Variables kMpirunRsh = {{"MV2_COMM_WORLD_RANK", "1"},
                              {"MV2_COMM_WORLD_SIZE", "2"},
                              {"MV2_COMM_WORLD_LOCAL_RANK", "0"},
                              {"MV2_COMM_WORLD_LOCAL_SIZE", "1"},
                              {"PMI_ID", "1"},
                              {"PMI_PORT", "n1:4711"}};
const Variables kFlux = {{"FLUX_TASK_RANK", "2"},  {"FLUX_JOB_SIZE", "4"},   {"FLUX_TASK_LOCAL_ID", "2"},
                         {"FLUX_JOB_NNODES", "1"}, {"FLUX_JOB_ID", "f23Xq"}, {"PMI_RANK", "2"},
                         {"PMI_SIZE", "4"},        {"PMI_FD", "7"}};
const Variables kSlurm = {{"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_PROCID", "6"},
                          {"SLURM_NTASKS", "7"},
                          {"SLURM_STEP_NUM_TASKS", "7"},
                          {"SLURM_STEP_NUM_NODES", "4"},
                          {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                          {"SLURM_NODEID", "3"},
                          {"SLURM_LOCALID", "0"}};
const Variables kSlurmBatch = {{"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"},
                               {"SLURM_NTASKS", "7"},  {"SLURM_NPROCS", "7"},
                               {"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "0"},
                               {"SLURM_NNODES", "4"},  {"SLURM_TASKS_PER_NODE", "2(x3),1"}};
const Variables kKubeflow = {
    {"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "job-master-0"}, {"MASTER_PORT", "23456"}};
// A step of two hosts with one task on each: daemons of a launcher.
const Variables kSlurmDaemons = {{"SLURM_JOB_ID", "77"},        {"SLURM_STEP_ID", "0"},
                                 {"SLURM_PROCID", "1"},         {"SLURM_STEP_NUM_TASKS", "2"},
                                 {"SLURM_STEP_NUM_NODES", "2"}, {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                                 {"SLURM_NODEID", "1"},         {"SLURM_LOCALID", "0"}};

struct Launcher {
  const char* source;
  Variables variables;
  Rank rank, size;
  std::optional<Rank> local_rank, local_size;
  std::optional<bool> several_hosts;
  bool has_key;
};

const Launcher kLaunchers[] = {
    {"nobody", {}, 0, 1, {}, {}, {}, false},
    {"nobody", kSlurmBatch, 0, 1, {}, {}, {}, false},
    {"nobody", kSlurmBatch + Variables{{"SLURM_STEP_ID", "4294967291"}}, 0, 1, {}, {}, {}, false},
    {"trireme launch", {{"TRIREME_RANK", "3"}, {"TRIREME_SIZE", "4"}}, 3, 4, {}, {}, {}, false},
    {"torchrun", kTorchrun, 5, 8, 1, 4, true, true},
    {"Open MPI", kOpenMpi, 3, 4, 1, 2, true, true},
    {"PMI", kHydra, 1, 2, 1, 2, false, false},
    {"MVAPICH2", kMpirunRsh, 1, 2, 0, 1, true, true},
    {"PMI", kFlux, 2, 4, 2, {}, false, true},
    {"PMI", kSlurm + Variables{{"PMI_RANK", "6"}, {"PMI_SIZE", "7"}, {"PMI_JOBID", "77.0"}}, 6, 7, 0, 1, true,
     true},
    {"PMIx", kSlurm + Variables{{"PMIX_RANK", "6"}, {"PMIX_NAMESPACE", "slurm.pmix.77.0"}}, 6, 7, 0, 1, true,
     true},
    {"Slurm", kSlurm, 6, 7, 0, 1, true, true},
    {"RANK and WORLD_SIZE", kKubeflow, 1, 3, {}, {}, {}, true},
};

TEST(World, IsFoundUnderEveryLauncher) {
  for (const Launcher& launcher : kLaunchers) {
    const FoundWorld world = find(launcher.variables);
    SCOPED_TRACE(launcher.source);
    EXPECT_EQ(world.source, launcher.source);
    EXPECT_EQ(world.rank, launcher.rank);
    EXPECT_EQ(world.size, launcher.size);
    EXPECT_EQ(world.local_rank, launcher.local_rank);
    EXPECT_EQ(world.local_size, launcher.local_size);
    EXPECT_EQ(world.several_hosts, launcher.several_hosts);
    EXPECT_EQ(world.job_key.has_value(), launcher.has_key);
  }
}

TEST(World, OfAProcessThatNobodyLaunchedHasNothingElse) {
  const FoundWorld world = find({});
  EXPECT_FALSE(world.segment_fd);
  EXPECT_FALSE(world.listener_fd);
  EXPECT_FALSE(world.meet);
  EXPECT_FALSE(world.wire);
  EXPECT_FALSE(world.secret);
  EXPECT_FALSE(world.secret_file);
  EXPECT_EQ(world.timeout, 60s);
}

TEST(World, HasWhatTheLauncherSet) {
  const FoundWorld world = find({{"TRIREME_RANK", "3"},
                                 {"TRIREME_SIZE", "4"},
                                 {"TRIREME_TIMEOUT", "1.5"},
                                 {"TRIREME_SEGMENT", "7"},
                                 {"TRIREME_LISTENER", "8"},
                                 {"TRIREME_MEET", "[::1]:4711"},
                                 {"TRIREME_SECRET", "open sesame"},
                                 {"TRIREME_SECRET_FILE", "/run/secret"},
                                 {"TRIREME_WIRE", "tcp"}});
  EXPECT_EQ(world.timeout, 1500ms);
  EXPECT_EQ(world.segment_fd, 7);
  EXPECT_EQ(world.listener_fd, 8);
  EXPECT_EQ(world.meet, "[::1]:4711");
  EXPECT_EQ(world.secret, "open sesame");
  EXPECT_EQ(world.secret_file, "/run/secret");
  EXPECT_EQ(world.wire, wire::WireKind::kTcp);
}

TEST(World, TakesATimeoutAsAPersonWritesIt) { EXPECT_EQ(find({{"TRIREME_TIMEOUT", "2 min"}}).timeout, 2min); }

TEST(World, MayMeetInAFile) { EXPECT_EQ(find({{"TRIREME_MEET", "/scratch/meet"}}).meet, "/scratch/meet"); }

TEST(World, MeetsAtTheMasterWhereNoTorchrunListensThere) {
  EXPECT_EQ(find(kKubeflow).meet, "job-master-0:23456");
  EXPECT_EQ(find(kKubeflow + Variables{{"TRIREME_MEET", "n2:1"}}).meet, "n2:1");
  EXPECT_FALSE(find(kTorchrun).meet);
  Variables ipv6 = kKubeflow;
  ipv6["MASTER_ADDR"] = "fd00::2";
  EXPECT_EQ(find(ipv6).meet, "[fd00::2]:23456");
}

TEST(World, TellsJobsOfOneLauncherApart) {
  Variables again = kTorchrun;
  again["TORCHELASTIC_RESTART_COUNT"] = "1";
  EXPECT_NE(find(again).job_key, find(kTorchrun).job_key);
  Variables neighbour = kTorchrun;
  neighbour["RANK"] = "4";
  neighbour["LOCAL_RANK"] = "0";
  EXPECT_EQ(find(neighbour).job_key, find(kTorchrun).job_key);
}

TEST(World, HasAJobKeyThatIsFitForTheNameOfAFile) {
  EXPECT_EQ(find(kOpenMpi).job_key->find_first_of("/; :"), std::string::npos);
  EXPECT_TRUE(find(kOpenMpi).job_key->starts_with("Open-MPI-"));
}

TEST(World, OfAnInnerLauncherIsNotThatOfAnOuterOne) {
  const Variables own = {{"TRIREME_RANK", "1"}, {"TRIREME_SIZE", "2"}};
  EXPECT_EQ(find(own + kOpenMpi).source, "trireme launch");
  EXPECT_EQ(find(own + Variables{{"PMI_RANK", "garbage"}}).source, "trireme launch");
  EXPECT_EQ(find(kTorchrun + kSlurmDaemons).source, "torchrun");
  EXPECT_EQ(find(kOpenMpi + kSlurmDaemons).source, "Open MPI");
}

TEST(World, OfOursTakesNothingFromAnOuterOneThatAgreesByChance) {
  const FoundWorld world = find(kOpenMpi + Variables{{"TRIREME_RANK", "3"}, {"TRIREME_SIZE", "4"}});
  EXPECT_FALSE(world.local_size);
  EXPECT_FALSE(world.job_key);
}

TEST(World, IsNotBelievedWhereLaunchersContradictEachOther) {
  EXPECT_EQ(
      refusal(kOpenMpi + kHydra),
      "Open MPI says that this is rank 3 of 4, but PMI says rank 1 of 2; unset the variables of one of "
      "them (trireme doctor shows both), or set TRIREME_RANK and TRIREME_SIZE, which are believed before "
      "all others");
  EXPECT_TRUE(refusal(kTorchrun + kSlurm)
                  .starts_with("torchrun says that this is rank 5 of 8, but Slurm says rank 6 of 7;"));
  // RANK as a batch script exported it to all tasks of a step.
  EXPECT_TRUE(
      refusal(kSlurm + Variables{{"RANK", "0"}, {"WORLD_SIZE", "7"}, {"MASTER_ADDR", "n1"}})
          .starts_with("Slurm says that this is rank 6 of 7, but RANK and WORLD_SIZE says rank 0 of 7;"));
  EXPECT_TRUE(refusal(kSlurm + Variables{{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "prterun-n1"}})
                  .starts_with("Slurm says that this is rank 6 of 7, but PMIx says rank 2 of ?;"));
}

TEST(World, NeedsMoreThanARankOfSomeName) {
  EXPECT_EQ(find({{"RANK", "3"}, {"WORLD_SIZE", "4"}}).source, "nobody");
  EXPECT_EQ(find({{"RANK", "captain"}, {"LOCAL_RANK", "2"}}).source, "nobody");
  EXPECT_EQ(find({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}).source, "nobody");
}

TEST(World, IsRefusedWhereALauncherLeavesTheSizeOpen) {
  EXPECT_EQ(refusal({{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "prterun-n1@1"}}),
            "PMIX_RANK is '2', but no variable says how many processes there are; set TRIREME_RANK and "
            "TRIREME_SIZE");
  EXPECT_EQ(refusal({{"PMI_ID", "1"}, {"PMI_PORT", "n1:4711"}}),
            "PMI_ID is '1', but PMI_SIZE is not set; set TRIREME_RANK and TRIREME_SIZE");
  EXPECT_EQ(
      refusal({{"OMPI_COMM_WORLD_SIZE", "2"}}),
      "OMPI_COMM_WORLD_SIZE is '2', but OMPI_COMM_WORLD_RANK is not set; set TRIREME_RANK and TRIREME_SIZE");
  EXPECT_EQ(refusal({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}}),
            "SLURM_PROCID is '1', but SLURM_STEP_NUM_TASKS is not set; set TRIREME_RANK and TRIREME_SIZE");
}

TEST(World, IsRefusedWhereItMayCountPods) {
  EXPECT_EQ(refusal(kKubeflow + Variables{{"PET_NPROC_PER_NODE", "auto"}}),
            "WORLD_SIZE is 3, but PET_NPROC_PER_NODE is 'auto': WORLD_SIZE may count pods and not processes; "
            "start the program in each pod with torchrun --no-python");
  EXPECT_TRUE(
      refusal(kKubeflow + Variables{{"PET_NNODES", "1:4"}}).starts_with("WORLD_SIZE is 3, but PET_NNODES"));
  EXPECT_EQ(find(kKubeflow + Variables{{"PET_NNODES", "3"}, {"PET_NPROC_PER_NODE", "1"}}).size, 3);
  EXPECT_EQ(find(kTorchrun + Variables{{"PET_NNODES", "2"}, {"PET_NPROC_PER_NODE", "4"}}).size, 8);
}

TEST(World, RefusesWhatIsMalformedByNameAndValue) {
  EXPECT_EQ(refusal({{"TRIREME_RANK", "x"}, {"TRIREME_SIZE", "4"}}),
            "TRIREME_RANK: 'x' is not a whole number; give one from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "0"}, {"TRIREME_SIZE", ""}}),
            "TRIREME_SIZE: '' is not a whole number; give one from 1 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "-1"}, {"TRIREME_SIZE", "4"}}),
            "TRIREME_RANK: -1 is out of range; give a number from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "0"}, {"TRIREME_SIZE", "0"}}),
            "TRIREME_SIZE: 0 is out of range; give a number from 1 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "0"}, {"TRIREME_SIZE", "1"}, {"TRIREME_SEGMENT", "fd"}}),
            "TRIREME_SEGMENT: 'fd' is not a whole number; give one from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"TRIREME_TIMEOUT", "soon"}}),
            "TRIREME_TIMEOUT: 'soon' is not a time; give one like 60s, 1.5s, 500ms, 2min or 1h");
  EXPECT_EQ(refusal({{"TRIREME_WIRE", "smh"}}), "TRIREME_WIRE: there is no wire 'smh'; did you mean shm?");
  EXPECT_EQ(refusal({{"TRIREME_MEET", "here"}}),
            "TRIREME_MEET: 'here' is no place to meet; give host:port, or the absolute path of a file");
  EXPECT_EQ(refusal({{"TRIREME_SECRET", ""}}), "TRIREME_SECRET is empty; give a value or unset it");
  EXPECT_EQ(refusal({{"OMPI_COMM_WORLD_RANK", "1\x1b[2J"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
            "OMPI_COMM_WORLD_RANK: '1?[2J' is not a whole number; give one from 0 to 2,147,483,647");
  EXPECT_EQ(refusal({{"PMI_RANK", "0"}, {"PMI_SIZE", "99999999999999999999"}}),
            "PMI_SIZE: 99999999999999999999 is out of range; give a number from 1 to 2,147,483,647");
  EXPECT_EQ(refusal({{"SLURM_STEP_ID", "first"}, {"SLURM_PROCID", "1"}}),
            "SLURM_STEP_ID: 'first' is not a whole number; give one from 0 to 9,223,372,036,854,775,807");
}

TEST(World, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(refusal({{"TRIREME_RANK", "4"}, {"TRIREME_SIZE", "4"}}),
            "TRIREME_RANK is 4, but TRIREME_SIZE is 4; ranks go from 0 to 3");
  EXPECT_EQ(refusal({{"TRIREME_RANK", "1"}}),
            "TRIREME_RANK is '1', but TRIREME_SIZE is not set; set both or none");
  EXPECT_EQ(refusal({{"TRIREME_SIZE", "2"}}),
            "TRIREME_SIZE is '2', but TRIREME_RANK is not set; set both or none");
  EXPECT_EQ(refusal(kOpenMpi + Variables{{"TRIREME_SIZE", "4"}}),
            "TRIREME_SIZE is '4', but TRIREME_RANK is not set; set both or none");
  EXPECT_EQ(refusal({{"TRIREME_SEGMENT", "5"}}),
            "TRIREME_SEGMENT is '5', but TRIREME_RANK is not set; let trireme launch set it, or unset it");
  EXPECT_EQ(refusal({{"TRIREME_LISTENER", "5"}}),
            "TRIREME_LISTENER is '5', but TRIREME_RANK is not set; let trireme launch set it, or unset it");
  Variables crowded = kTorchrun;
  crowded["LOCAL_WORLD_SIZE"] = "9";
  EXPECT_EQ(
      refusal(crowded),
      "LOCAL_WORLD_SIZE is 9, but WORLD_SIZE is 8; there cannot be more processes on one host than in all");
  EXPECT_EQ(
      refusal({{"PMI_RANK", "3"},
               {"PMI_SIZE", "4"},
               {"MPI_LOCALNRANKS", "2"},
               {"FLUX_TASK_RANK", "3"},
               {"FLUX_JOB_SIZE", "4"},
               {"FLUX_TASK_LOCAL_ID", "3"}}),
      "this is rank 3 of 4, and on its host 3 of 2: that does not go together; several launchers say a part "
      "of it each; trireme doctor shows them");
  crowded["LOCAL_RANK"] = "9";
  EXPECT_EQ(refusal(crowded), "LOCAL_RANK is 9, but LOCAL_WORLD_SIZE is 9; ranks go from 0 to 8");
}

Verdict verdict_of(const std::vector<Sighting>& sightings, const std::string& source) {
  for (const Sighting& seen : sightings) {
    if (seen.source == source) return seen.verdict;
  }
  ADD_FAILURE() << "nobody looked for " << source;
  return Verdict::kAbsent;
}

TEST(World, KnowsWhomItLookedForAndWhatCameOfIt) {
  const FoundWorld world = find(kOpenMpi + kSlurmDaemons);
  EXPECT_EQ(world.sightings.size(), 9U);
  EXPECT_EQ(verdict_of(world.sightings, "torchrun"), Verdict::kAbsent);
  EXPECT_EQ(verdict_of(world.sightings, "Open MPI"), Verdict::kWon);
  EXPECT_EQ(verdict_of(world.sightings, "PMIx"), Verdict::kAgrees);
  EXPECT_EQ(verdict_of(world.sightings, "Slurm"), Verdict::kOuter);
}

TEST(World, CanBeLookedForAlsoWhereItIsContradictory) {
  const Variables both = kOpenMpi + kHydra;
  const auto sightings = look_around([&](const char* name) -> std::optional<std::string> {
    const auto at = both.find(name);
    return at == both.end() ? std::nullopt : std::optional(at->second);
  });
  EXPECT_EQ(verdict_of(sightings, "Open MPI"), Verdict::kWon);
  EXPECT_EQ(verdict_of(sightings, "PMI"), Verdict::kContradicts);
}

TEST(World, SaysWhyAPlainRankIsNotBelieved) {
  const FoundWorld world = find({{"RANK", "0"}, {"WORLD_SIZE", "2"}});
  EXPECT_EQ(verdict_of(world.sightings, "RANK and WORLD_SIZE"), Verdict::kDoubted);
  EXPECT_EQ(in_words(world.sightings.back()), "set, not believed: MASTER_ADDR is missing");
  EXPECT_EQ(why_alone(world),
            "RANK=0 and WORLD_SIZE=2 are not believed without MASTER_ADDR: this is a job of one");
}

TEST(World, SaysWhyABatchScriptIsAlone) {
  EXPECT_EQ(verdict_of(find(kSlurmBatch).sightings, "Slurm"), Verdict::kDoubted);
  EXPECT_EQ(
      why_alone(find(kSlurmBatch)),
      "SLURM_PROCID=0 and SLURM_NTASKS=7 are not believed without a step of srun: this is a job of one");
}

TEST(World, SaysNothingWhereBeingAloneIsNoSurprise) {
  EXPECT_EQ(why_alone(find({})), std::nullopt);
  EXPECT_EQ(why_alone(find({{"RANK", "0"}, {"WORLD_SIZE", "1"}})), std::nullopt);
  EXPECT_EQ(why_alone(find({{"RANK", "captain"}, {"WORLD_SIZE", "4"}})), std::nullopt);
  EXPECT_EQ(why_alone(find(kTorchrun)), std::nullopt);
  EXPECT_EQ(why_alone(find(kOpenMpi + kSlurmBatch)), std::nullopt);
}

TEST(World, KnowsTheVariablesOfEveryLauncher) {
  for (const Launcher& launcher : kLaunchers) {
    for (const auto& [name, value] : launcher.variables) {
      const bool of_nobody = name == "OMP_NUM_THREADS" || name == "GROUP_RANK" || name.starts_with("ROLE_");
      EXPECT_EQ(is_of_launcher(name), !of_nobody) << name;
    }
  }
  EXPECT_TRUE(is_of_launcher("PET_NNODES"));
  EXPECT_FALSE(is_of_launcher("PATH"));
  EXPECT_FALSE(is_of_launcher("RANKING"));
}

}  // namespace
}  // namespace trireme::world
