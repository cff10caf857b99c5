// `trireme doctor`: what a job would find here, whether every wire works, and what could be better.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/system/output.h"
#include "cli/command.h"
#include "cli/doctor/doctor_advice.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_report.h"
#include "cli/doctor/doctor_software.h"
#include "cli/doctor/doctor_wires.h"
#include "world/connection.h"

namespace trireme::cli {
namespace {

constexpr const char* kExamples = R"(
Shows which launcher this process belongs to, what this host has, and how fast
two workers exchange on every wire. Every problem comes with a remedy. The exit
status is 1 if jobs cannot run here.

Examples:
  trireme doctor
  mpirun -n 1 trireme doctor
  trireme doctor --json
)";

void say(const std::string& sentence) { write_error(fmt::format("trireme doctor: {}\n", sentence)); }

void examine_world(Diagnosis& diagnosis) {
  diagnosis.sightings = world::look_around(world::get_variable);
  try {
    diagnosis.world = world::find_world();
  } catch (const Error& error) {
    diagnosis.world_failure = error.what();
    return;
  }
  try {
    world::require_way_to_connect(*diagnosis.world);
  } catch (const Error& error) {
    diagnosis.join_failure = error.what();
  }
}

// The tests start their own jobs, whatever job this process belongs to: one launcher does not run inside
// another.
void forget_launchers() {
  std::vector<std::string> names;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (world::is_of_launcher(name)) names.emplace_back(name);
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

Diagnosis examine() {
  Diagnosis diagnosis;
  examine_world(diagnosis);
  forget_launchers();
  say("looking at the host");
  diagnosis.host = examine_host();
  diagnosis.software = examine_software();
  diagnosis.wires =
      try_wires(diagnosis.software, [](const std::string& wire) { say("trying the wire " + wire); });
  return diagnosis;
}

bool doctor(bool json) {
  const Diagnosis diagnosis = examine();
  const std::vector<Advice> advice = advise(diagnosis);
  write_output(json ? report::document_text(doctor_json(diagnosis, advice)) : doctor_text(diagnosis, advice));
  return diagnosis.ok();
}

}  // namespace

void add_doctor(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("doctor", "Check what this host can do, and report problems");
  command->add_flag("--json", *json, "print one JSON document")->disable_flag_override();
  command->footer(kExamples);
  command->callback([=] {
    if (!doctor(*json)) std::exit(kExitFailed);
  });
}

}  // namespace trireme::cli
