// Any text as a job to be predicted, and any words after --set: they are refused with an `Error`, or give a
// scenario that can be written and read back.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fuzz/configuration.h"
#include "sim/scenario/load_scenario.h"

namespace trireme {
namespace {

// Not inside `try_or_refuse`, because a written scenario must not be refused.
void require_same_again(const sim::LoadedScenario& loaded) {
  require(sim::read_scenario(sim::to_toml(loaded.scenario), "again") == loaded.scenario);
  (void)sim::read_scenario(sim::explain_scenario(loaded), "explained");
}

void try_text(std::string_view text) {
  std::optional<sim::Scenario> scenario;
  try_or_refuse([&] { scenario = sim::read_scenario(text, "fuzz"); });
  if (scenario) require_same_again({*scenario, {}, {}});
}

void try_sets(const sim::ScenarioInputs& inputs) {
  std::optional<sim::LoadedScenario> loaded;
  try_or_refuse([&] { loaded = sim::load_scenario(inputs); });
  if (loaded) require_same_again(*loaded);
}

}  // namespace
}  // namespace trireme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trireme::ConfigurationInput input = trireme::split_input(data, size);
  trireme::try_text(input.text);
  trireme::try_sets({.sets = input.sets});
  return 0;
}
