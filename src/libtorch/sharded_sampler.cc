#include <fmt/format.h>
#include <trireme/torch.h>

#include <cstdint>
#include <utility>

#include "api/world_impl.h"
#include "base/error.h"
#include "base/types.h"
#include "data/shard.h"
#include "wire/members.h"

namespace trireme {
namespace {

torch::Tensor number(std::int64_t value) { return torch::full({}, value, torch::kInt64); }

// A last, smaller batch must have a part for each worker.
bool has_batch_left(const data::ShardSpec& spec, std::int64_t taken) {
  const data::ShardedOrder order(spec);
  return taken < order.batches_per_epoch() && order.global_batch_size(taken) >= spec.workers;
}

}  // namespace

struct ShardedSampler::State {
  // An Exchange that is made later may turn some of them into servers.
  void require_workers() const {
    if (const std::shared_ptr<const Job> known = job.lock())
      known->require_no_servers("samples shared out", members);
  }

  std::weak_ptr<const Job> job;
  wire::Members members{0};
  data::ShardSpec spec;
  std::int64_t epoch = 0;
  std::int64_t taken = 0;             // batches of this epoch
  bool loaded = false;                // the next pass goes on from there
  std::vector<std::int64_t> indices;  // of this epoch, once the size of its batches is known
};

ShardedSampler::ShardedSampler(std::size_t samples, const Group& workers, std::uint64_t seed)
    : state_(std::make_shared<State>()) {
  WorldAccess::Inside& inside = WorldAccess::inside(workers);
  inside.require_member("a ShardedSampler");
  state_->job = inside.job;
  state_->members = inside.wire().members();
  state_->require_workers();
  state_->spec.samples = static_cast<std::int64_t>(samples);
  state_->spec.workers = workers.size();
  state_->spec.rank = workers.rank();
  state_->spec.seed = seed;
}

void ShardedSampler::set_epoch(std::size_t epoch) {
  state_->epoch = static_cast<std::int64_t>(epoch);
  state_->taken = 0;
  state_->loaded = false;
  state_->indices.clear();
}

void ShardedSampler::reset(TorchOptional<std::size_t> samples) {
  if (samples) state_->spec.samples = static_cast<std::int64_t>(*samples);
  const bool goes_on = std::exchange(state_->loaded, false) && has_batch_left(state_->spec, state_->taken);
  if (state_->taken > 0 && !goes_on) set_epoch(static_cast<std::size_t>(state_->epoch) + 1);
}

TorchOptional<std::vector<std::size_t>> ShardedSampler::next(std::size_t batch) {
  State& state = *state_;
  state.require_workers();
  const auto size = static_cast<std::int64_t>(batch);
  if (state.taken > 0 && size != state.spec.batch) {
    throw bad_input(fmt::format("batches of {} and of {} in one epoch", state.spec.batch, size),
                    "keep to one size until the epoch ends");
  }
  state.spec.batch = size;
  state.loaded = false;
  const data::ShardedOrder order(state.spec);
  if (state.indices.empty()) state.indices = order.epoch(state.epoch);
  if (!has_batch_left(state.spec, state.taken)) return {};
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
  state_->loaded = true;
}

}  // namespace trireme
