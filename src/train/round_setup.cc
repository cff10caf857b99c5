#include "train/round_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <string>

#include "exec/auto_strategy.h"
#include "wire/notes.h"
#include "wire/purpose.h"

namespace trireme {
namespace {

// Everything in which nodes must not differ.
std::string in_words(const ExchangeOptions& options, const std::vector<NamedTensor>& parameters) {
  std::vector<std::string> words;
  for (const NamedTensor& parameter : parameters) {
    words.push_back(in_words(parameter) + (parameter.tensor.requires_grad() ? "" : " frozen"));
  }
  return fmt::format(
      "training {} parameters by {} with {} servers in buckets of {} bytes, buffers {}, clipped "
      "at {}{}: {}",
      parameters.size(), options.strategy, options.servers, options.bucket_bytes,
      static_cast<int>(options.buffers), options.clip_norm, options.strict ? ", strict" : "",
      fmt::join(words, "; "));
}

std::vector<std::int64_t> borders_of(const BucketLayout& layout) {
  std::vector<std::int64_t> borders;
  for (const GradientPlace& place : layout.places) {
    if (place.first > 0) borders.push_back(place.first);
  }
  return borders;
}

}  // namespace

ExchangeOptions checked(ExchangeOptions options, Rank nodes) {
  const bool has_servers = parse_wish(options.strategy) == Strategy::kParameterServer;
  if (options.bucket_bytes == 0) throw bad_input("buckets of 0 bytes hold no gradients");
  if (options.servers < 0) throw bad_input(fmt::format("{} servers are less than none", options.servers));
  if (options.servers > 0 && !has_servers) {
    throw bad_input(fmt::format("{} has no servers", options.strategy), "use the strategy parameter-server");
  }
  if (options.servers > 0 && options.servers >= nodes) {
    throw bad_input(fmt::format("{} servers leave no worker in a job of {}", options.servers, nodes),
                    "start more processes, or ask for fewer servers");
  }
  if (!(options.clip_norm >= 0) || std::isinf(options.clip_norm)) {
    throw bad_input(fmt::format("gradients cannot be clipped at a norm of {}", options.clip_norm),
                    "give a positive number, or 0 for none");
  }
  return options;
}

std::optional<Drive> drive_of(const ExchangeOptions& options) {
  switch (options.drive) {
    case ExchangeOptions::Drive::kMeasure:
      return std::nullopt;
    case ExchangeOptions::Drive::kAfter:
      return Drive::kAfter;
    case ExchangeOptions::Drive::kHooks:
      return Drive::kHooks;
    case ExchangeOptions::Drive::kThread:
      return Drive::kThread;
  }
  return std::nullopt;
}

void require_same(WorldAccess::Inside& inside, const ExchangeOptions& options,
                  const std::vector<NamedTensor>& parameters) {
  Wire& wire = inside.wire();
  const Purpose own(in_words(options, parameters));
  const std::vector<std::byte> notes =
      share_notes(wire, std::as_bytes(std::span(&own, 1)), "comparing what is trained", inside.deadline());
  std::vector<Purpose> purposes(idx(wire.size()));
  std::memcpy(purposes.data(), notes.data(), notes.size());
  for (const Purpose& other : purposes) {
    if (other.digest == own.digest) continue;
    const Error error = difference(wire.rank(), purposes);
    wire.leave(error.failure());
    throw error;
  }
}

std::vector<BucketPlan> plans_of(WorldAccess::Inside& inside, const ExchangeOptions& options, Rank workers,
                                 std::span<const Gradients::Bucket> buckets) {
  std::vector<BucketPlan> plans;
  for (const Gradients::Bucket& bucket : buckets) {
    PlanSpec spec;
    spec.strategy = inside.choose(options.strategy, bucket.bytes);
    spec.workers = workers;
    spec.parameters = bucket.layout.elements;
    if (spec.strategy == Strategy::kParameterServer) {
      spec.servers = options.servers;
      spec.shares_on_workers = options.servers > 0 ? 0 : workers;
      spec.variable_borders = borders_of(bucket.layout);
    }
    plans.push_back({spec, bucket.layout.type, bucket.bytes});
  }
  return plans;
}

}  // namespace trireme
