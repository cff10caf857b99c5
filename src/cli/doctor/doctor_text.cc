#include <fmt/format.h>

#include "base/text.h"
#include "cli/doctor/doctor_report.h"
#include "report/table.h"
#include "world/environment.h"

namespace trireme::cli {
namespace {

constexpr const char* kNothing = "–";

std::string section(const char* title, const report::Table& table) {
  return fmt::format("{}\n{}\n", title, table.text());
}

std::string shown(std::optional<Rank> number) { return number ? std::to_string(*number) : kNothing; }

// Names the source carefully: variables may have been set by hand.
std::string who_says(const std::string& source) {
  if (source == "trireme launch")
    return fmt::format("{} and {} say", world::environment::kRank, world::environment::kSize);
  return source + (source == world::kRankAndWorldSize ? " say" : " says");
}

std::string world_line(const Diagnosis& diagnosis) {
  if (!diagnosis.world) return "none: see the advice below";
  const world::FoundWorld& world = *diagnosis.world;
  if (world.source == "nobody") return "rank 0 of 1: nobody launched this process";
  std::string line = fmt::format("rank {} of {}, as {}", world.rank, world.size, who_says(world.source));
  if (world.local_rank) line += fmt::format("; {} on this host", *world.local_rank);
  if (world.local_size) line += fmt::format(" of {}", *world.local_size);
  return line;
}

std::string world_text(const Diagnosis& diagnosis) {
  report::Table table("llrrl");
  table.row({"", "launcher", "rank", "size", ""});
  for (const world::Sighting& seen : diagnosis.sightings) {
    table.row({"", seen.source, shown(seen.rank), shown(seen.size), world::in_words(seen)});
  }
  return fmt::format("World\n  {}\n\n{}\n", world_line(diagnosis), table.text());
}

std::string cores_line(const HostFacts& host) {
  return host.quota ? fmt::format("{}; the container may use {:.3g}", host.cores, *host.quota)
                    : fmt::format("{}, without a quota", host.cores);
}

std::string sharing_line(const HostFacts& host) {
  const std::string works = host.memfd_error.empty() ? "works" : "does not work: " + host.memfd_error;
  if (!host.dev_shm_bytes) return works + "; no /dev/shm (not needed)";
  return fmt::format("{}; /dev/shm has {} (not needed)", works, bytes_in_words(*host.dev_shm_bytes));
}

std::string host_text(const HostFacts& host) {
  report::Table table("lll");
  table.row({"", "cores", cores_line(host)});
  table.row({"", "memory left", bytes_in_words(host.memory_left)});
  table.row({"", "shared memory", sharing_line(host)});
  table.row({"", "huge pages",
             host.shared_huge_pages.empty() ? "unknown" : "shmem_enabled is " + host.shared_huge_pages});
  return section("Host", table);
}

std::string network_text(const Diagnosis& diagnosis) {
  report::Table table("llll");
  for (const Interface& interface : diagnosis.host.interfaces) {
    table.row(
        {"", printable(interface.name), interface.address,
         fmt::format("{}{}", interface.up ? "up" : "down", interface.loopback ? ", this host alone" : "")});
  }
  const std::optional<std::string> place = place_of_secret(diagnosis);
  table.row({"", "secret", place ? "in " + *place : "none", ""});
  return section("Network", table);
}

std::string mpirun_line(const SoftwareFacts& software) {
  if (!software.mpirun) return "not on the path";
  return fmt::format("{} ({})", printable(*software.mpirun),
                     software.mpirun_mpi.value_or("of unknown origin"));
}

std::string software_text(const SoftwareFacts& software) {
  report::Table table("lll");
  table.row({"", "MPI", software.mpi ? printable(*software.mpi) : "not built in"});
  table.row({"", "mpirun", mpirun_line(software)});
  table.row({"", "BLAS",
             software.blas ? fmt::format("{}, {}", software.blas->name, printable(software.blas->path))
                           : "not found"});
  table.row({"", "libtorch",
             software.torch
                 ? fmt::format("{} in {}", software.torch->version, printable(software.torch->path))
                 : "not found"});
  return section("Software", table);
}

std::string wires_text(const std::vector<WireTest>& wires) {
  report::Table table("llrrl");
  table.row({"", "wire", "4 bytes µs", "1 MiB GB/s", ""});
  for (const WireTest& test : wires) {
    const bool timed = test.failure.empty() && test.skipped.empty();
    const std::string latency = timed ? fmt::format("{:.2f}", test.latency * 1e6) : kNothing;
    const std::string bandwidth = timed ? fmt::format("{:.2f}", test.bandwidth / 1e9) : kNothing;
    const std::string remark = timed ? "works" : test.skipped.empty() ? "does not work" : test.skipped;
    table.row({"", test.wire, latency, bandwidth, remark});
  }
  return section("Wires, each with two workers", table);
}

std::string advice_text(const std::vector<Advice>& advice) {
  if (advice.empty()) return "Advice\n  none\n";
  std::string text = "Advice\n";
  for (const Advice& piece : advice) text += fmt::format("  {}\n    {}\n", piece.what, piece.remedy);
  return text;
}

}  // namespace

std::optional<std::string> place_of_secret(const Diagnosis& diagnosis) {
  if (diagnosis.world && diagnosis.world->secret) return world::environment::kSecret;
  if (diagnosis.world && diagnosis.world->secret_file) return world::environment::kSecretFile;
  return std::nullopt;
}

std::string doctor_text(const Diagnosis& diagnosis, const std::vector<Advice>& advice) {
  return world_text(diagnosis) + host_text(diagnosis.host) + network_text(diagnosis) +
         software_text(diagnosis.software) + wires_text(diagnosis.wires) + advice_text(advice) +
         (diagnosis.ok() ? "\nEverything that is needed works.\n" : "\nJobs cannot run as they should.\n");
}

}  // namespace trireme::cli
