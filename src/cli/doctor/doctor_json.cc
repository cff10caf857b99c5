#include "base/text.h"
#include "cli/doctor/doctor_report.h"

namespace trireme::cli {
namespace {

report::Json text_or_null(const std::string& text) {
  return text.empty() ? report::Json() : report::Json(printable(text));
}

report::Json or_null(const std::optional<std::string>& text) {
  return text ? report::Json(printable(*text)) : report::Json();
}

template <typename Number>
report::Json or_null(const std::optional<Number>& number) {
  return number ? report::Json(*number) : report::Json();
}

report::Json world_json(const Diagnosis& diagnosis) {
  if (!diagnosis.world) return nullptr;
  const world::FoundWorld& world = *diagnosis.world;
  return {{"rank", world.rank},
          {"size", world.size},
          {"source", world.source},
          {"local_rank", or_null(world.local_rank)},
          {"local_size", or_null(world.local_size)},
          {"several_hosts", or_null(world.several_hosts)},
          {"job_key", or_null(world.job_key)},
          {"meet", or_null(world.meet)},
          {"wire", world.wire ? report::Json(wire::name(*world.wire)) : report::Json()},
          {"timeout_s", std::chrono::duration<double>(world.timeout).count()}};
}

report::Json launchers_json(const std::vector<world::Sighting>& sightings) {
  report::Json list = report::Json::array();
  for (const world::Sighting& seen : sightings) {
    list.push_back({{"source", seen.source},
                    {"rank", or_null(seen.rank)},
                    {"size", or_null(seen.size)},
                    {"won", seen.verdict == world::Sighting::Verdict::kWon},
                    {"verdict", world::in_words(seen)}});
  }
  return list;
}

report::Json host_json(const HostFacts& host) {
  return {{"cores", host.cores},
          {"quota_cores", or_null(host.quota)},
          {"memory_left_bytes", host.memory_left},
          {"memfd", host.memfd_error.empty()},
          {"dev_shm_bytes", or_null(host.dev_shm_bytes)},
          {"shmem_enabled", text_or_null(host.shared_huge_pages)}};
}

report::Json interfaces_json(const std::vector<Interface>& interfaces) {
  report::Json list = report::Json::array();
  for (const Interface& interface : interfaces) {
    list.push_back({{"name", printable(interface.name)},
                    {"address", interface.address},
                    {"up", interface.up},
                    {"loopback", interface.loopback}});
  }
  return list;
}

report::Json software_json(const SoftwareFacts& software) {
  report::Json json = {{"mpi", or_null(software.mpi)},
                       {"mpirun", or_null(software.mpirun)},
                       {"mpirun_mpi", or_null(software.mpirun_mpi)},
                       {"blas", nullptr},
                       {"libtorch", nullptr}};
  if (software.blas) {
    json["blas"] = {{"name", software.blas->name},
                    {"path", printable(software.blas->path)},
                    {"fast", software.blas->fast}};
  }
  if (software.torch) {
    json["libtorch"] = {{"version", software.torch->version},
                        {"path", printable(software.torch->path)},
                        {"headers", software.torch->headers}};
  }
  return json;
}

report::Json wires_json(const std::vector<WireTest>& wires) {
  report::Json list = report::Json::array();
  for (const WireTest& test : wires) {
    const bool timed = test.failure.empty() && test.skipped.empty();
    list.push_back({{"wire", test.wire},
                    {"latency_us", timed ? report::Json(test.latency * 1e6) : report::Json()},
                    {"bandwidth_GBps", timed ? report::Json(test.bandwidth / 1e9) : report::Json()},
                    {"skipped", text_or_null(test.skipped)},
                    {"failure", text_or_null(test.failure)}});
  }
  return list;
}

}  // namespace

report::Json doctor_json(const Diagnosis& diagnosis, const std::vector<Advice>& advice) {
  report::Json json;
  json["ok"] = diagnosis.ok();
  json["world"] = world_json(diagnosis);
  json["world_failure"] = text_or_null(diagnosis.world_failure);
  json["join_failure"] = text_or_null(diagnosis.join_failure);
  json["launchers"] = launchers_json(diagnosis.sightings);
  json["host"] = host_json(diagnosis.host);
  json["interfaces"] = interfaces_json(diagnosis.host.interfaces);
  json["secret"] = or_null(place_of_secret(diagnosis));
  json["software"] = software_json(diagnosis.software);
  json["wires"] = wires_json(diagnosis.wires);
  json["advice"] = report::Json::array();
  for (const auto& [what, remedy] : advice) {
    json["advice"].push_back({{"what", printable(what)}, {"remedy", printable(remedy)}});
  }
  return json;
}

}  // namespace trireme::cli
