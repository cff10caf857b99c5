#include "cli/doctor/doctor_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace trireme::cli {
namespace {

using List = std::vector<Advice>;

void advise_on_failures(const Diagnosis& diagnosis, List& list) {
  if (!diagnosis.world_failure.empty()) {
    list.push_back({"a job cannot tell who takes part", diagnosis.world_failure});
  }
  if (!diagnosis.join_failure.empty()) {
    list.push_back({"a program started here cannot join its job", diagnosis.join_failure});
  }
  if (!diagnosis.host.memfd_error.empty()) {
    list.push_back({"memory cannot be shared: " + diagnosis.host.memfd_error,
                    "let the container's security profile allow memfd_create"});
  }
  for (const WireTest& test : diagnosis.wires) {
    if (!test.failure.empty())
      list.push_back({fmt::format("the wire {} does not work", test.wire), test.failure});
  }
}

// The number of workers on this host, as far as known.
Rank workers_here(const world::FoundWorld& world) {
  if (world.local_size) return *world.local_size;
  return world.several_hosts.value_or(false) ? 1 : world.size;
}

void advise_on_cores(const Diagnosis& diagnosis, List& list) {
  const HostFacts& host = diagnosis.host;
  const int usable = host.quota ? std::min(host.cores, static_cast<int>(std::ceil(*host.quota))) : host.cores;
  if (host.quota && *host.quota < host.cores) {
    list.push_back(
        {fmt::format("the container may use {:.3g} of {}", *host.quota, counted(host.cores, "core")),
         "start no more workers than that, or raise its quota (docker run --cpus)"});
  }
  const Rank workers = diagnosis.world ? workers_here(*diagnosis.world) : 1;
  if (workers <= usable) return;
  list.push_back({fmt::format("{} share {}", counted(workers, "worker"), counted(usable, "core")),
                  "start fewer of them here: each exchange waits until the last one has had its turn"});
}

void advise_on_memory(const HostFacts& host, List& list) {
  if (host.memory_left < 1'000'000'000) {
    list.push_back({fmt::format("only {} of memory are left", bytes_in_words(host.memory_left)),
                    "free some, or give the container more (docker run --memory)"});
  }
  if (host.shared_huge_pages == "never" || host.shared_huge_pages == "deny") {
    list.push_back({fmt::format("shmem_enabled is {}", host.shared_huge_pages),
                    "huge pages would help above 2 MiB: echo advise > "
                    "/sys/kernel/mm/transparent_hugepage/shmem_enabled"});
  }
}

void advise_on_mpi(const SoftwareFacts& software, List& list) {
  if (!software.mpi) {
    list.push_back({"no MPI", "apt-get install libopenmpi-dev openmpi-bin, and build again"});
    return;
  }
  if (!software.mpirun) {
    list.push_back({"no mpirun on the path", "apt-get install openmpi-bin, or add its folder to PATH"});
  } else if (software.mpirun_mpi && !software.mpi->starts_with(*software.mpirun_mpi)) {
    list.push_back({fmt::format("mpirun is that of {}, and this program was built with {}",
                                *software.mpirun_mpi, *software.mpi),
                    "start it with the mpirun of the same MPI: each process would be alone under the other"});
  }
}

void advise_on_training(const SoftwareFacts& software, List& list) {
  if (!software.torch) {
    list.push_back({"no libtorch", "for training: apt-get install libtorch-dev"});
  } else if (!software.torch->headers) {
    list.push_back({"libtorch has no headers here", "for training: apt-get install libtorch-dev"});
  }
  if (software.blas && software.blas->fast) return;
  list.push_back({software.blas ? "BLAS is the slow reference one" : "no BLAS",
                  "for training, many times faster: apt-get install libopenblas0-openmp"});
}

void advise_on_hosts(const Diagnosis& diagnosis, List& list) {
  if (!diagnosis.world || !diagnosis.world->several_hosts.value_or(false)) return;
  if (!diagnosis.world->secret && !diagnosis.world->secret_file) {
    list.push_back(
        {"no secret, and several hosts",
         "put one into a file of mode 0600 and set TRIREME_SECRET_FILE: TCP across hosts needs it"});
  }
  const auto leads_out = [](const Interface& interface) { return interface.up && !interface.loopback; };
  const auto& interfaces = diagnosis.host.interfaces;
  if (std::none_of(interfaces.begin(), interfaces.end(), leads_out)) {
    list.push_back(
        {"no network but this host's own, and several hosts",
         "bring an interface up, or let the container use the host's (docker run --network host)"});
  }
}

}  // namespace

bool Diagnosis::ok() const {
  const auto works = [](const WireTest& test) { return test.failure.empty(); };
  return world_failure.empty() && join_failure.empty() && std::all_of(wires.begin(), wires.end(), works);
}

std::vector<Advice> advise(const Diagnosis& diagnosis) {
  List list;
  advise_on_failures(diagnosis, list);
  advise_on_hosts(diagnosis, list);
  advise_on_cores(diagnosis, list);
  advise_on_memory(diagnosis.host, list);
  advise_on_mpi(diagnosis.software, list);
  advise_on_training(diagnosis.software, list);
  return list;
}

}  // namespace trireme::cli
