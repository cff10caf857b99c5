// Any text as the configuration of a training job, and any words after --set: they are refused with an
// `Error`, or give a configuration that can be written and read back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/configuration.h"
#include "train/load_train_config.h"

namespace trireme {
namespace {

void try_text(std::string_view text) {
  try_or_refuse([&] {
    const train::TrainConfig config = train::read_train_config(text, "fuzz");
    require(train::read_train_config(train::to_toml(config), "again") == config);
  });
}

void try_sets(const train::TrainInputs& inputs) {
  try_or_refuse([&] {
    const train::LoadedTrainConfig loaded = train::load_train_config(inputs);
    require(train::read_train_config(train::to_toml(loaded.config), "again") == loaded.config);
    (void)train::read_train_config(train::explain_config(loaded), "explained");
  });
}

}  // namespace
}  // namespace trireme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const trireme::ConfigurationInput input = trireme::split_input(data, size);
  trireme::try_text(input.text);
  trireme::try_sets({.sets = input.sets});
  return 0;
}
