#include "libtorch/round_setup.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <string>

#include "exec/auto_strategy.h"
#include "libtorch/same_parameters.h"
#include "plan/mode.h"
#include "rounds/bucket_layout.h"
#include "rounds/parameter_groups.h"
#include "server/rate.h"
#include "wire/call_signature.h"
#include "wire/notes.h"

namespace trireme::libtorch {
namespace {

std::string in_words(ExchangeOptions::Buffers buffers) {
  switch (buffers) {
    case ExchangeOptions::Buffers::kFromRank0:
      return "buffers of rank 0";
    case ExchangeOptions::Buffers::kAverage:
      return "averaged buffers";
    case ExchangeOptions::Buffers::kOwn:
      return "own buffers";
  }
  return "";
}

// Describes every option in which nodes must not differ.
std::string in_words(const ExchangeOptions& options) {
  std::string words = fmt::format(
      "training by {} with {} servers in buckets of {} bytes, {}, clipped at {}{}{}", options.strategy,
      options.servers, options.bucket_bytes, in_words(options.buffers), options.clip_norm,
      options.strict ? ", strict" : "", options.whole_tensors ? ", tensors whole" : "");
  words += fmt::format(", mode {} with rates divided by {}", options.mode, options.staleness_rate);
  for (const ParameterGroup& group : options.groups) words += ", group " + rounds::group_in_words(group);
  return words;
}

// The note that nodes exchange before they train.
struct TrainingNote {
  wire::CallSignature options;
  std::uint64_t parameters = 0;   // a digest of their list
  std::uint64_t list_length = 0;  // in bytes
};

void check_mode(const ExchangeOptions& options, Rank nodes) {
  const plan::Mode mode = plan::parse_mode(options.mode, "ExchangeOptions::mode");
  static_cast<void>(server::parse_staleness_rate(options.staleness_rate));
  if (mode == plan::Mode{}) return;
  if (!has_holders(options)) {
    throw bad_input(fmt::format("mode {} needs servers, and {} has none", options.mode, options.strategy),
                    "use the strategy parameter-server");
  }
  if (options.servers == 0) {
    throw bad_input(
        fmt::format("mode {} needs dedicated servers: a worker that computes cannot answer", options.mode),
        "set ExchangeOptions::servers to 1 or more");
  }
  if (options.strict) {
    throw bad_input(
        fmt::format("ExchangeOptions::strict compares the gradients of all workers, for which mode {} does "
                    "not wait",
                    options.mode),
        "leave it out, or take mode sync");
  }
  const Rank workers = nodes - options.servers;
  if (mode.kind == plan::Mode::Kind::kBackup && mode.number >= workers) {
    throw bad_input(fmt::format("mode {} leaves no worker of {}", options.mode, workers),
                    "leave out fewer than there are");
  }
}

}  // namespace

bool has_holders(const ExchangeOptions& options) {
  return exec::parse_strategy_or_auto(options.strategy) == plan::Strategy::kParameterServer;
}

ExchangeOptions checked(ExchangeOptions options, Rank nodes) {
  const bool may_have_servers = has_holders(options);
  if (options.bucket_bytes == 0) throw bad_input("buckets of 0 bytes hold no gradients");
  if (options.servers < 0)
    throw bad_input(fmt::format("{} servers: the number must not be negative", options.servers));
  if (options.servers > 0 && !may_have_servers) {
    throw bad_input(fmt::format("{} has no servers", options.strategy), "use the strategy parameter-server");
  }
  if (options.servers > 0 && options.servers >= nodes) {
    throw bad_input(fmt::format("{} servers leave no worker in a job of {}", options.servers, nodes),
                    "start more processes, or ask for fewer servers");
  }
  check_mode(options, nodes);
  if (!(options.clip_norm >= 0) || std::isinf(options.clip_norm)) {
    throw bad_input(fmt::format("gradients cannot be clipped at a norm of {}", options.clip_norm),
                    "give a positive number, or 0 for none");
  }
  return options;
}

std::optional<rounds::Drive> drive_of(const ExchangeOptions& options) {
  switch (options.drive) {
    case ExchangeOptions::Drive::kMeasure:
      return std::nullopt;
    case ExchangeOptions::Drive::kAfter:
      return rounds::Drive::kAfter;
    case ExchangeOptions::Drive::kHooks:
      return rounds::Drive::kHooks;
    case ExchangeOptions::Drive::kThread:
      return rounds::Drive::kThread;
  }
  return std::nullopt;
}

void require_same(WorldAccess::Inside& inside, const ExchangeOptions& options,
                  const std::vector<NamedTensor>& parameters) {
  wire::Wire& wire = inside.wire();
  const std::string list = list_of(parameters);
  const TrainingNote own{wire::CallSignature(in_words(options)), wire::CallSignature(list).digest,
                         list.size()};
  const std::vector<std::byte> bytes = wire::share_notes(wire, std::as_bytes(std::span(&own, 1)),
                                                         "comparing what is trained", inside.deadline());
  std::vector<TrainingNote> notes(idx(wire.size()));
  std::memcpy(notes.data(), bytes.data(), bytes.size());
  std::vector<wire::CallSignature> options_of_nodes;
  std::vector<std::uint64_t> lengths;
  bool same_parameters = true;
  bool same_options = true;
  for (const TrainingNote& note : notes) {
    options_of_nodes.push_back(note.options);
    lengths.push_back(note.list_length);
    same_parameters = same_parameters && note.parameters == notes[0].parameters;
    same_options = same_options && note.options.digest == notes[0].options.digest;
  }
  if (same_parameters && same_options) return;
  const Error error = same_parameters ? wire::difference(wire.members(), wire.rank(), options_of_nodes)
                                      : difference_of_lists(wire, list, lengths, inside.deadline());
  wire.leave(error.failure());
  throw error;
}

std::vector<rounds::BucketPlan> plans_of(WorldAccess::Inside& inside, const ExchangeOptions& options,
                                         Rank workers, std::span<const Gradients::Bucket> buckets) {
  if (has_holders(options) && options.servers == 0) {
    inside.tell_choice(
        "every worker holds a share of the weights; ExchangeOptions::servers makes the last ranks servers");
  }
  std::vector<rounds::BucketPlan> plans;
  for (const Gradients::Bucket& bucket : buckets) {
    plan::PlanSpec spec = plan::spec_for(inside.choose(options.strategy, bucket.bytes), workers,
                                         bucket.layout.elements, options.servers);
    if (spec.strategy == plan::Strategy::kParameterServer) {
      spec.variable_borders = rounds::borders_of(bucket.layout);
      spec.whole_variables = options.whole_tensors;
    }
    plans.push_back({spec, bucket.layout.type, bucket.bytes});
  }
  return plans;
}

}  // namespace trireme::libtorch
