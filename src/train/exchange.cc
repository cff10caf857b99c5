#include <fmt/format.h>
#include <fmt/ranges.h>
#include <trireme/torch.h>

#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "api/world_impl.h"
#include "exec/auto_strategy.h"
#include "exec/kernels.h"
#include "exec/runner.h"
#include "train/gradients.h"
#include "train/module_tensors.h"
#include "wire/notes.h"
#include "wire/purpose.h"

namespace trireme {
namespace {

using Buffers = ExchangeOptions::Buffers;

// Everything in which workers must not differ.
std::string in_words(const ExchangeOptions& options, const std::vector<NamedTensor>& parameters) {
  std::vector<std::string> words;
  for (const NamedTensor& parameter : parameters) {
    words.push_back(in_words(parameter) + (parameter.tensor.requires_grad() ? "" : " frozen"));
  }
  return fmt::format("training {} parameters by {} in buckets of {} bytes, buffers {}{}: {}",
                     parameters.size(), options.strategy, options.bucket_bytes,
                     static_cast<int>(options.buffers), options.strict ? ", strict" : "",
                     fmt::join(words, "; "));
}

void require_same(Wire& wire, const Purpose& own, const Deadline& deadline) {
  const std::vector<std::byte> notes =
      share_notes(wire, std::as_bytes(std::span(&own, 1)), "comparing what is trained", deadline);
  std::vector<Purpose> purposes(idx(wire.size()));
  std::memcpy(purposes.data(), notes.data(), notes.size());
  for (const Purpose& other : purposes) {
    if (other.digest == own.digest) continue;
    const Error error = difference(wire.rank(), purposes);
    wire.leave(error.failure());
    throw error;
  }
}

ExchangeOptions checked(ExchangeOptions options) {
  if (parse_wish(options.strategy) == Strategy::kParameterServer) {
    throw bad_input(
        "a parameter server updates the weights itself, and average() leaves that to an optimizer",
        "choose another strategy, such as auto");
  }
  if (options.bucket_bytes == 0) throw bad_input("buckets of 0 bytes hold no gradients");
  return options;
}

}  // namespace

struct Exchange::Impl {
  Impl(World& world_, torch::nn::Module& module, ExchangeOptions options_)
      : world(world_),
        inside(WorldAccess::inside(world_)),
        options(checked(std::move(options_))),
        parameters(parameters_of(module)),
        buffers(buffers_of(module)),
        gradients(agreed(), parameters, options.bucket_bytes),
        runners(gradients.buckets().size()) {
    take_from_rank_0(world, parameters);
    take_from_rank_0(world, buffers);
  }

  // Members that are made together come after this.
  World& agreed() {
    require_same(inside.wire(), Purpose(in_words(options, parameters)), inside.deadline());
    return world;
  }

  void average();
  void require_gradients(std::vector<std::int32_t> found);
  [[nodiscard]] std::int64_t weigh();
  void exchange_buckets(Result result);
  [[nodiscard]] Runner& runner(std::size_t bucket, Result result);
  void share_buffers();

  World& world;
  WorldAccess::Inside& inside;
  const ExchangeOptions options;
  const std::vector<NamedTensor> parameters;
  const std::vector<NamedTensor> buffers;
  Gradients gradients;
  std::vector<std::array<std::unique_ptr<Runner>, 2>> runners;  // by bucket and result
  std::optional<std::int64_t> samples;                          // of this worker in the next average
  std::weak_ptr<void> accumulating;                             // nothing is averaged while it lives
  Traffic traffic;
  const int exceptions = std::uncaught_exceptions();
};

void Exchange::Impl::average() {
  if (!accumulating.expired()) return;
  std::vector<std::int32_t> found = gradients.take_in();
  if (world.size() > 1) {
    if (options.strict) require_gradients(std::move(found));
    const std::int64_t total = samples ? weigh() : 0;
    exchange_buckets(samples ? Result::kSum : Result::kAverage);
    for (const Gradients::Bucket& bucket : gradients.buckets()) {
      if (total > 0) divide(bucket.layout.type, bucket.bytes.data(), bucket.layout.elements, total);
    }
    share_buffers();
  }
  gradients.give_back();
  samples.reset();
  ++traffic.rounds;
}

// A worker that left one out is fine as long as another did not.
void Exchange::Impl::require_gradients(std::vector<std::int32_t> found) {
  world.sum(found, "direct");
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0) missing.push_back(gradients.parameters()[i].name);
  }
  if (missing.empty()) return;
  throw bad_input(fmt::format("no worker has a gradient for {}", fmt::join(missing, ", ")),
                  "freeze what the loss does not depend on, or train without ExchangeOptions::strict");
}

// Every gradient times the samples that it is a mean over. Returns those of all workers.
std::int64_t Exchange::Impl::weigh() {
  std::vector<std::int64_t> total{*samples};
  world.sum(total, "direct");
  for (const Gradients::Bucket& bucket : gradients.buckets()) {
    const auto type = bucket.layout.type == ElementType::kFloat32 ? torch::kFloat32 : torch::kFloat64;
    torch::Tensor numbers = torch::from_blob(bucket.bytes.data(), {bucket.layout.elements}, type);
    // Of no samples there may be no number at all.
    if (*samples == 0) numbers.zero_();
    if (*samples > 1) numbers.mul_(*samples);
  }
  return total[0];
}

void Exchange::Impl::exchange_buckets(Result result) {
  const Counters before = inside.wire().counters();
  for (std::size_t i = 0; i < runners.size(); ++i) {
    runner(i, result).run(gradients.buckets()[i].bytes, inside.deadline());
  }
  const Counters after = inside.wire().counters();
  traffic.messages += after.sent_messages - before.sent_messages;
  traffic.bytes += after.sent_bytes - before.sent_bytes;
}

Runner& Exchange::Impl::runner(std::size_t bucket, Result result) {
  std::unique_ptr<Runner>& found = runners[bucket][result == Result::kSum ? 0 : 1];
  if (found) return *found;
  const Gradients::Bucket& buffer = gradients.buckets()[bucket];
  PlanSpec spec;
  spec.strategy = inside.choose(options.strategy, buffer.bytes);
  spec.workers = world.size();
  spec.parameters = buffer.layout.elements;
  found = std::make_unique<Runner>(spec, buffer.layout.type, inside.wire(), result);
  return *found;
}

void Exchange::Impl::share_buffers() {
  if (buffers.empty() || options.buffers == Buffers::kOwn) return;
  if (options.buffers == Buffers::kFromRank0) return take_from_rank_0(world, buffers);
  std::vector<NamedTensor> numbers;
  std::vector<NamedTensor> others;
  for (const NamedTensor& buffer : buffers) {
    (buffer.tensor.is_floating_point() ? numbers : others).push_back(buffer);
  }
  average_numbers(world, numbers);
  take_from_rank_0(world, others);
}

Exchange::Exchange(World& world, torch::nn::Module& module, ExchangeOptions options)
    : impl_(std::make_unique<Impl>(world, module, std::move(options))) {}

Exchange::~Exchange() {
  if (std::uncaught_exceptions() <= impl_->exceptions) return;
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.what = "an exception ended the training loop of this worker";
  failure.hint = "look at what this worker says";
  impl_->inside.wire().leave(failure);
}

void Exchange::samples(std::int64_t count) {
  if (count < 0) throw bad_input(fmt::format("{} samples are less than none", count));
  impl_->samples = count;
}

void Exchange::average() { impl_->average(); }

std::shared_ptr<void> Exchange::no_sync() {
  std::shared_ptr<void> token = impl_->accumulating.lock();
  if (!token) impl_->accumulating = token = std::make_shared<int>();
  return token;
}

Exchange::Traffic Exchange::traffic() const { return impl_->traffic; }
std::size_t Exchange::buckets() const { return impl_->gradients.buckets().size(); }

}  // namespace trireme
