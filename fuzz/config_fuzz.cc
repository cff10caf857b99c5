// Any text as the configuration of a training job, and any words after --set: they are refused with an
// `Error`, or give a configuration that can be written down and read back.
//
// Up to the first zero byte it is a file; then each part up to the next one is a --set.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "config/load_train_config.h"

namespace trireme {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <typename Try>
void try_or_refuse(const Try& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    require(error.failure().cause == Failure::Cause::kBadInput && !error.failure().hint.empty());
    require(printable(error.what()) == error.what());
  }
}

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
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view text = rest.substr(0, rest.find('\0'));
  trireme::try_text(text);
  trireme::TrainInputs inputs;
  for (rest.remove_prefix(text.size()); !rest.empty(); rest.remove_prefix(inputs.sets.back().size())) {
    rest.remove_prefix(1);
    inputs.sets.emplace_back(rest.substr(0, rest.find('\0')));
  }
  trireme::try_sets(inputs);
  return 0;
}
