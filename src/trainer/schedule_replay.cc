#include "trainer/schedule_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "exec/kernels/kernels.h"
#include "optim/norm.h"

namespace trireme::trainer {

struct ScheduleReplay::Worker {
  Worker(torch::nn::Sequential& its_module, Rank servers, bool whole_tensors)
      : parameters(libtorch::parameters_of(*its_module)),
        placement(libtorch::placement_of(parameters, servers, whole_tensors)),
        shares(parameters, placement) {}

  std::vector<libtorch::NamedTensor> parameters;
  server::Placement placement;
  libtorch::ModuleShares shares;
};

struct ScheduleReplay::Share {
  std::size_t number = 0;
  std::vector<float> memory;
  std::optional<server::ShareWeights> weights;  // empty: so is the share
  std::vector<const schedule::Write*> writes;
  std::size_t next = 0;  // of them
  std::int64_t version = 0;
  std::map<std::int64_t, std::int64_t> reads;           // by gradient: the version that it is computed from
  std::map<std::int64_t, std::int64_t> readers;         // by version: how many gradients are still to be
  std::map<std::int64_t, std::vector<float>> versions;  // that have readers

  void keep_version() {
    if (readers.contains(version)) versions[version] = memory;
  }
};

struct ScheduleReplay::Gradient {
  std::vector<std::vector<float>> numbers;      // by share
  std::vector<std::vector<bool>> has_gradient;  // likewise, by part
  std::int64_t writes = 0;                      // that are still to come
};

ScheduleReplay::ScheduleReplay(const schedule::Schedule& schedule,
                               std::vector<torch::nn::Sequential>& modules, const Spec& spec, Compute compute)
    : schedule_(schedule),
      spec_(spec),
      compute_(std::move(compute)),
      groups_(spec.groups, libtorch::names_of(libtorch::parameters_of(*modules.at(0)))),
      placement_(libtorch::placement_of(libtorch::parameters_of(*modules.at(0)), schedule.servers,
                                        spec.whole_tensors)) {
  for (torch::nn::Sequential& module : modules) {
    workers_.push_back(std::make_unique<Worker>(module, schedule.servers, spec.whole_tensors));
  }
  for (std::size_t j = 0; j < placement_.shares.size(); ++j) {
    Share& share = *shares_.emplace_back(std::make_unique<Share>());
    share.number = j;
    const server::Share& layout = placement_.shares[j];
    share.memory.resize(static_cast<std::size_t>(layout.elements));
    const std::vector<server::ShareWeights::Part> initial = workers_[0]->shares.parts(j);
    std::vector<server::ShareWeights::Part> parts;
    for (std::size_t i = 0; i < initial.size(); ++i) {
      const std::span<float> place = std::span(share.memory)
                                         .subspan(static_cast<std::size_t>(layout.parts[i].place),
                                                  static_cast<std::size_t>(layout.parts[i].count));
      std::ranges::copy(initial[i].weights, place.begin());
      parts.push_back({place, initial[i].shape});
    }
    if (!layout.empty()) share.weights.emplace(layout, parts);
  }
  for (const schedule::Write& write : schedule.writes) {
    Share& share = *shares_[static_cast<std::size_t>(write.server)];
    share.writes.push_back(&write);
    share.reads[write.gradient] = write.read;
    ++share.readers[write.read];
  }
  for (const std::unique_ptr<Share>& share : shares_) share->keep_version();
}

ScheduleReplay::~ScheduleReplay() = default;

bool ScheduleReplay::step() {
  for (const std::unique_ptr<Share>& share : shares_) {
    if (share->next < share->writes.size() && step(*share)) return true;
  }
  for (const std::unique_ptr<Share>& share : shares_) {
    if (share->next == share->writes.size()) continue;
    const schedule::Write& write = *share->writes[share->next];
    throw bad_input(
        fmt::format(
            "the schedule cannot be replayed: gradient {} of worker {}, which comes next on server {}, is "
            "computed from weights that need gradients which come later",
            write.gradient, write.worker, write.server),
        "let a worker push a gradient to all servers before it reads again");
  }
  return false;
}

// Gradients of one round have the same version, and are applied together.
bool ScheduleReplay::step(Share& share) {
  const schedule::Write& first = *share.writes[share.next];
  std::size_t end = share.next + 1;
  while (!first.dropped && end < share.writes.size() && !share.writes[end]->dropped &&
         share.writes[end]->version == first.version) {
    ++end;
  }
  for (std::size_t i = share.next; i < end; ++i) {
    const std::int64_t gradient = share.writes[i]->gradient;
    if (!gradients_.contains(gradient) && !can_compute(gradient)) return false;
  }
  if (first.dropped) {
    static_cast<void>(gradient_of(first));
    if (share.number == static_cast<std::size_t>(placement_.dispenser)) ++dropped_;
    forget(first.gradient);
    ++share.next;
    return true;
  }
  apply(share, end);
  return true;
}

// All shares have written the versions that it is computed from.
bool ScheduleReplay::can_compute(std::int64_t gradient) const {
  return std::ranges::all_of(shares_, [&](const std::unique_ptr<Share>& share) {
    const auto read = share->reads.find(gradient);
    return read == share->reads.end() || share->versions.contains(read->second);
  });
}

const ScheduleReplay::Gradient& ScheduleReplay::gradient_of(const schedule::Write& write) {
  if (!gradients_.contains(write.gradient)) compute(write.worker, write.gradient);
  return gradients_.at(write.gradient);
}

void ScheduleReplay::compute(Rank rank, std::int64_t number) {
  Worker& worker = *workers_[static_cast<std::size_t>(rank)];
  const torch::NoGradGuard no_grad;
  for (const std::unique_ptr<Share>& share : shares_) {
    const auto read = share->reads.find(number);
    if (read == share->reads.end()) continue;
    worker.shares.take_weights(share->number, share->versions.at(read->second));
    if (--share->readers.at(read->second) == 0) {
      share->readers.erase(read->second);
      share->versions.erase(read->second);
    }
  }
  worker.shares.give_back();
  {
    const torch::AutoGradMode with_grad(true);
    losses_.push_back(compute_(rank, number));
    if (losses_.size() > workers_.size()) losses_.pop_front();
  }
  const float factor = spec_.clip_norm > 0 ? worker.shares.clip_factor(spec_.clip_norm) : 1.0F;
  Gradient& gradient = gradients_[number];
  double squares = 0;
  for (const std::unique_ptr<Share>& share : shares_) {
    if (share->reads.contains(number)) ++gradient.writes;
    std::vector<float>& numbers = gradient.numbers.emplace_back(share->memory.size());
    gradient.has_gradient.push_back(worker.shares.put_gradients(share->number, factor, numbers));
    for (const float one : numbers) squares += static_cast<double>(one) * static_cast<double>(one);
  }
  largest_norm_ = std::max(largest_norm_, std::sqrt(squares));
  worker.shares.leave_zeros();
}

void ScheduleReplay::forget(std::int64_t number) {
  if (--gradients_.at(number).writes == 0) gradients_.erase(number);
}

void ScheduleReplay::apply(Share& share, std::size_t end) {
  std::vector<const schedule::Write*> round(share.writes.begin() + static_cast<std::ptrdiff_t>(share.next),
                                            share.writes.begin() + static_cast<std::ptrdiff_t>(end));
  std::ranges::sort(round, {}, &schedule::Write::worker);
  std::vector<const std::byte*> sources;
  std::vector<bool> has_gradient(placement_.shares[share.number].parts.size());
  for (const schedule::Write* write : round) {
    const Gradient& gradient = gradient_of(*write);
    sources.push_back(reinterpret_cast<const std::byte*>(gradient.numbers[share.number].data()));
    for (std::size_t i = 0; i < has_gradient.size(); ++i) {
      has_gradient[i] = has_gradient[i] || gradient.has_gradient[share.number][i];
    }
    const std::int64_t staleness = write->version - 1 - write->read;
    ++staleness_.histogram[staleness];
  }
  std::vector<float> sum(share.memory.size());
  std::byte* const into = reinterpret_cast<std::byte*>(sum.data());
  exec::fold(exec::ElementType::kFloat32, exec::Reduction::kAverage, {&into, 1}, sources, std::ssize(sum),
             std::ssize(round));
  const schedule::Write& last = *round.back();
  const bool is_round = plan::parse_mode(schedule_.mode, "mode").kind == plan::Mode::Kind::kBackup;
  const double divisor =
      is_round ? 1
               : server::rate_divisor(spec_.staleness_rate, schedule_.workers, last.version - 1 - last.read);
  if (share.weights) {
    share.weights->apply(sum, has_gradient, spec_.rate_of(last.gradient) / divisor,
                         libtorch::rule_of(groups_, spec_.rule));
  }
  if (share.number == static_cast<std::size_t>(placement_.dispenser)) applied_ += std::ssize(round);
  for (const schedule::Write* write : round) forget(write->gradient);
  share.version = last.version;
  share.keep_version();
  share.next = end;
}

void ScheduleReplay::give_weights() {
  const torch::NoGradGuard no_grad;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    for (const std::unique_ptr<Share>& share : shares_)
      worker->shares.take_weights(share->number, share->memory);
    worker->shares.give_back();
  }
}

double ScheduleReplay::loss() const {
  double sum = 0;
  for (const double loss : losses_) sum += loss;
  return losses_.empty() ? 0 : sum / static_cast<double>(losses_.size());
}

}  // namespace trireme::trainer
