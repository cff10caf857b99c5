#include <fmt/format.h>
#include <trireme/torch.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/types.h"
#include "data/shard.h"

namespace trireme {
namespace {

torch::Tensor number(std::int64_t value) { return torch::full({}, value, torch::kInt64); }

}  // namespace

struct ShardedSampler::State {
  ShardSpec spec;
  std::int64_t epoch = 0;
  std::int64_t taken = 0;             // batches of this epoch
  std::vector<std::int64_t> indices;  // of this epoch, once the size of its batches is known
};

ShardedSampler::ShardedSampler(std::size_t samples, const World& world, std::uint64_t seed)
    : state_(std::make_shared<State>()) {
  state_->spec.samples = static_cast<std::int64_t>(samples);
  state_->spec.workers = world.size();
  state_->spec.rank = world.rank();
  state_->spec.seed = seed;
}

void ShardedSampler::set_epoch(std::size_t epoch) {
  state_->epoch = static_cast<std::int64_t>(epoch);
  state_->taken = 0;
  state_->indices.clear();
}

void ShardedSampler::reset(TorchOptional<std::size_t> samples) {
  if (samples) state_->spec.samples = static_cast<std::int64_t>(*samples);
  if (state_->taken > 0) set_epoch(static_cast<std::size_t>(state_->epoch) + 1);
}

TorchOptional<std::vector<std::size_t>> ShardedSampler::next(std::size_t batch) {
  State& state = *state_;
  const auto size = static_cast<std::int64_t>(batch);
  if (state.taken > 0 && size != state.spec.batch) {
    throw bad_input(fmt::format("batches of {} and of {} in one epoch", state.spec.batch, size),
                    "keep to one size until the epoch ends");
  }
  state.spec.batch = size;
  const ShardedOrder order(state.spec);
  if (state.indices.empty()) state.indices = order.epoch(state.epoch);
  const bool ended = state.taken == order.batches_per_epoch();
  if (ended || order.global_batch_size(state.taken) < state.spec.workers) return {};
  std::vector<std::size_t> indices;
  for (const std::int64_t index : order.batch_of(state.indices, state.taken)) indices.push_back(idx(index));
  ++state.taken;
  return {std::move(indices)};
}

void ShardedSampler::save(torch::serialize::OutputArchive& archive) const {
  archive.write("epoch", number(state_->epoch), true);
  archive.write("batch", number(state_->spec.batch), true);
  archive.write("taken", number(state_->taken), true);
}

void ShardedSampler::load(torch::serialize::InputArchive& archive) {
  torch::Tensor epoch = number(0);
  torch::Tensor batch = number(0);
  torch::Tensor taken = number(0);
  archive.read("epoch", epoch, true);
  archive.read("batch", batch, true);
  archive.read("taken", taken, true);
  set_epoch(static_cast<std::size_t>(epoch.item<std::int64_t>()));
  state_->spec.batch = batch.item<std::int64_t>();
  state_->taken = taken.item<std::int64_t>();
}

}  // namespace trireme
