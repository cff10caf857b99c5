// A small checkpoint, whose content follows from its step, and ways to look at refusals.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "checkpoint/names.h"
#include "checkpoint/rule_state.h"
#include "checkpoint/saved.h"
#include "checkpoint/saving.h"

namespace trireme::checkpoint {

/// What the `Error` says that this throws, or "accepted".
template <typename Function>
std::string refusal(const Function& function) {
  try {
    (void)function();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

inline TensorView view_of(std::string name, const std::vector<float>& values) {
  return {{std::move(name), TensorType::kF32, {values.size()}}, std::as_bytes(std::span(values))};
}

inline std::vector<float> floats_of(const SafetensorsFile& file, std::string_view name) {
  const std::vector<std::byte> bytes = file.read(*file.find(name));
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline State state_at(std::int64_t step) {
  State state;
  state.step = step;
  state.epoch = step / 10;
  state.position = step % 10;
  state.seed = ~std::uint64_t{0};
  state.workers = 2;
  state.strategy = "ring";
  state.rule = "momentum";
  state.model = "mlp:4";
  state.saved = "2026-03-01T12:00:00Z";
  state.numbers["mean"] = 0.1;
  return state;
}

inline std::vector<float> weights_at(std::int64_t step, std::size_t count = 40) {
  std::vector<float> weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = static_cast<float>(step) + static_cast<float>(i) / 64;
  return weights;
}

/// Begins a checkpoint and writes all files, so that only `finish` is left.
inline void write_small_checkpoint(Saving& saving, std::int64_t step) {
  const std::vector<float> weights = weights_at(step);
  const std::vector<TensorView> tensors{view_of("w", weights)};
  saving.write_config("[job]\nworkers = 2\n");
  saving.write_state(state_at(step));
  saving.add(write_safetensors(saving.folder() / kWeightsFile, tensors, {{"format", "pt"}}));
  for (std::int64_t holder = 0; holder < 2; ++holder) {
    const std::vector<float> momentum = weights_at(step + holder, 20);
    const std::vector<RuleStatePart> parts{{"w", 20 * holder, 20, step, {{"momentum_buffer", momentum}}}};
    const RuleStateTensors rule = rule_state_tensors(parts);
    saving.add(write_safetensors(saving.folder() / rule_file(holder), rule.tensors, rule.metadata));
  }
}

inline std::filesystem::path save_small(const std::filesystem::path& run, std::int64_t step) {
  Saving saving(run, step);
  write_small_checkpoint(saving, step);
  return saving.finish();
}

/// Whether this is all that `save_small` has saved.
inline bool is_small_checkpoint(const Saved& saved) {
  const std::int64_t step = saved.step();
  return saved.state() == state_at(step) && saved.damages().empty() &&
         floats_of(saved.open_file(kWeightsFile), "w") == weights_at(step) &&
         floats_of(saved.open_file(rule_file(1)), "w/momentum_buffer[20:40]") == weights_at(step + 1, 20);
}

inline std::vector<std::int64_t> steps_in(const std::filesystem::path& run) {
  std::vector<std::int64_t> steps;
  for (const Listed& listed : list_checkpoints(run)) steps.push_back(listed.step);
  return steps;
}

}  // namespace trireme::checkpoint
