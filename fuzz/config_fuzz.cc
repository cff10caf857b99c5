// Any text as the configuration of a training job, and any words after --set: they are refused with an
// `Error`, or give a configuration that can be written down and read back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/load_train_config.h"
#include "fuzz/configuration.h"

namespace trireme {
namespace {

void try_text(std::string_view text) {
  try_or_refuse([&] {
    const TrainConfig config = read_train_config(text, "fuzz");
    require(read_train_config(to_toml(config), "again") == config);
  });
}

void try_sets(const TrainInputs& inputs) {
  try_or_refuse([&] {
    const LoadedTrainConfig loaded = load_train_config(inputs);
    require(read_train_config(to_toml(loaded.config), "again") == loaded.config);
    (void)read_train_config(explain_config(loaded), "explained");
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
