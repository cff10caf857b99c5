#include "cli/input/explain_request.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/input/values_file.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"

namespace trireme::cli {
namespace {

std::int32_t parse_count(const std::string& text, const char* flag, std::int32_t min) {
  return static_cast<std::int32_t>(parse_integer(text, flag, min, plan::PlanSpec::kMaxNodes));
}

// Whether a worker brings nothing but its chunk, so that a file has p/n values for each.
bool brings_a_chunk(plan::Operation operation) {
  return operation == plan::Operation::kGather || operation == plan::Operation::kAllGather;
}

// The number of workers in a file, if it agrees with the flag.
std::int32_t workers_of_all(const ExplainFlags& flags, const plan::PlanSpec& spec, const ValuesFile& file) {
  const auto workers = static_cast<std::int32_t>(file.workers.size());
  if (!flags.workers.empty() && spec.workers != workers) {
    throw bad_input(fmt::format("--workers: {} given, but {} has {}", spec.workers, flags.values, workers),
                    "leave the flag out");
  }
  return workers;
}

// The number of workers that update like the one in the file.
std::int32_t workers_like_one(const ExplainFlags& flags, const plan::PlanSpec& spec, const ValuesFile& file) {
  if (flags.workers.empty()) {
    throw bad_input("--workers is missing",
                    fmt::format("say how many there are; {} has the gradient of one", flags.values));
  }
  if (file.workers.size() != 1) {
    throw bad_input(fmt::format("{} has {} workers, and in mode {} the update of one is explained",
                                flags.values, file.workers.size(), flags.mode),
                    "keep the line of one worker");
  }
  return spec.workers;
}

// Sets the number of workers and parameters from the flags, from the file, or from both if they agree.
void size_up(const ExplainFlags& flags, ExplainRequest& request, const std::optional<ValuesFile>& file) {
  plan::PlanSpec& spec = request.spec;
  if (!flags.workers.empty()) spec.workers = parse_count(flags.workers, "--workers", 1);
  if (!flags.parameters.empty()) {
    spec.parameters =
        parse_integer(flags.parameters, "--parameters", 0, std::numeric_limits<std::int64_t>::max());
  }
  if (!file) {
    const char* hint = flags.all ? "say how many" : "say how many, or give --values";
    if (flags.workers.empty()) throw bad_input("--workers is missing", hint);
    if (flags.parameters.empty()) throw bad_input("--parameters is missing", hint);
    return;
  }
  const std::int32_t workers = request.mode == plan::Mode{} ? workers_of_all(flags, spec, *file)
                                                            : workers_like_one(flags, spec, *file);
  auto parameters = static_cast<std::int64_t>(file->values[0].size());
  if (brings_a_chunk(spec.operation)) parameters *= workers;
  if (!flags.parameters.empty() && spec.parameters != parameters) {
    throw bad_input(
        fmt::format("--parameters: {} given, but {} has {}", spec.parameters, flags.values, parameters),
        "leave the flag out");
  }
  spec.workers = workers;
  spec.parameters = parameters;
}

void choose_servers(const ExplainFlags& flags, plan::PlanSpec& spec) {
  const bool has_servers = spec.strategy == plan::Strategy::kParameterServer;
  const std::int32_t servers =
      flags.servers.empty() ? (has_servers ? 1 : 0) : parse_count(flags.servers, "--servers", 0);
  if (servers > 0 && !has_servers) {
    throw bad_input(fmt::format("--servers: {} has none", plan::title(spec)),
                    "only parameter-server has; leave the flag out");
  }
  spec.servers = servers;
  if (has_servers && servers == 0) spec.shares_on_workers = spec.workers;
}

// In a mode other than sync the plan is that of one worker's update.
void choose_mode(const ExplainFlags& flags, ExplainRequest& request) {
  plan::PlanSpec& spec = request.spec;
  const plan::Mode& mode = request.mode;
  request.workers = spec.workers;
  if (mode == plan::Mode{}) return;
  const std::string is = "--mode " + to_string(mode);
  if (spec.strategy != plan::Strategy::kParameterServer) {
    throw bad_input(fmt::format("{}: {} has no servers", is, plan::title(spec)),
                    "only parameter-server has; leave the flag out");
  }
  if (spec.servers == 0) {
    throw bad_input(
        fmt::format("{}: these modes need dedicated servers: a worker that computes cannot answer", is),
        "give --servers 1 or more");
  }
  if (!flags.order.empty()) {
    throw bad_input(fmt::format("--order: in mode {} each worker updates by itself", to_string(mode)),
                    "leave the flag out");
  }
  if (mode.kind == plan::Mode::Kind::kBackup) {
    if (mode.number >= spec.workers) {
      throw bad_input(fmt::format("{}, and --workers is {}", is, spec.workers),
                      "leave out fewer than there are");
    }
    if (!flags.weights.empty() && spec.workers - mode.number > 1) {
      throw bad_input(
          fmt::format("--weights: in mode {} weights are updated by the average of {} gradients, and one is "
                      "explained",
                      to_string(mode), spec.workers - mode.number),
          "leave the flag out");
    }
  }
  spec.workers = 1;
}

void choose_hosts(const ExplainFlags& flags, plan::PlanSpec& spec) {
  if (flags.hosts.empty()) return;
  const std::int32_t hosts = parse_count(flags.hosts, "--hosts", 1);
  if (hosts > 1 && spec.strategy != plan::Strategy::kHierarchical) {
    throw bad_input(fmt::format("--hosts: {} does not look at hosts", plan::title(spec)),
                    "only hierarchical does; leave the flag out");
  }
  if (spec.workers % hosts != 0) {
    throw bad_input(
        fmt::format("--hosts: {} workers do not divide evenly over {} hosts", spec.workers, hosts),
        "give every host as many workers as the others");
  }
  spec.hosts = hosts;
}

void choose_root(const ExplainFlags& flags, ExplainRequest& request) {
  if (flags.root.empty()) return;
  plan::PlanSpec& spec = request.spec;
  if (!plan::has_root(spec.operation)) {
    throw bad_input(fmt::format("--root: {} has no root", plan::name(spec.operation)),
                    "broadcast, gather and scatter have; leave the flag out");
  }
  const std::optional<Rank> root = request.names.find(flags.root);
  if (!root || *root >= spec.workers) {
    throw bad_input(
        fmt::format("--root: there is no worker '{}'", printable(flags.root)),
        fmt::format("the first is {}, the last {}", request.names.of(0), request.names.of(spec.workers - 1)));
  }
  spec.root = *root;
}

void take_file(const ExplainFlags& flags, ValuesFile file, ExplainRequest& request) {
  try {
    request.names = plan::NodeNames(std::move(file.workers), request.spec.servers);
  } catch (const Error& error) {
    throw bad_input(flags.values + ": " + error.failure().what, error.failure().hint);
  }
  request.values = std::move(file.values);
  request.columns = std::move(file.columns);
}

double parse_rate(const std::string& text) {
  const std::optional<double> rate = finite_number(text);
  if (rate && *rate >= 0) return *rate;
  throw bad_input(fmt::format("--rate: '{}' is not a learning rate", printable(text)),
                  "give a number such as 0.1");
}

// The update that the holders of shares apply to the sums, if it is to be shown.
std::optional<plan::SgdUpdate> read_update(const ExplainFlags& flags, const plan::PlanSpec& spec) {
  if (flags.weights.empty() && flags.rate.empty()) return std::nullopt;
  if (spec.strategy != plan::Strategy::kParameterServer) {
    throw bad_input(fmt::format("{}: with {} no weights are sent",
                                flags.weights.empty() ? "--rate" : "--weights", plan::title(spec)),
                    "only parameter-server sends them; leave the flag out");
  }
  if (flags.values.empty()) throw bad_input("--weights and --rate need --values", "give the gradients");
  if (flags.weights.empty()) throw bad_input("--rate needs --weights", "give the weights");
  if (flags.rate.empty()) throw bad_input("--weights needs --rate", "give the learning rate, such as 0.1");
  if (flags.run)
    throw bad_input("--run exchanges sums, and --weights shows an update", "leave one of them out");
  plan::SgdUpdate update{read_weights_file(flags.weights), parse_rate(flags.rate)};
  if (std::ssize(update.weights) != spec.parameters) {
    throw bad_input(fmt::format("{} has {}, and {} has {}", flags.weights,
                                counted(std::ssize(update.weights), "weight"), flags.values, spec.parameters),
                    "give each its column");
  }
  return update;
}

}  // namespace

plan::Operation operation_of(const ExplainFlags& flags) {
  return flags.operation.empty() ? plan::Operation::kSum : plan::parse_operation(flags.operation);
}

ExplainRequest understand(const ExplainFlags& flags, plan::Strategy strategy) {
  ExplainRequest request;
  plan::PlanSpec& spec = request.spec;
  spec.operation = operation_of(flags);
  spec.strategy = strategy;
  plan::require_strategy(spec.operation, strategy);
  if (!flags.mode.empty()) request.mode = plan::parse_mode(flags.mode, "--mode");
  std::optional<ValuesFile> file;
  if (!flags.values.empty()) file = read_values_file(flags.values);
  size_up(flags, request, file);
  choose_servers(flags, spec);
  choose_mode(flags, request);
  choose_hosts(flags, spec);
  request.update = read_update(flags, spec);
  if (file) {
    take_file(flags, std::move(*file), request);
  } else {
    request.names = plan::NodeNames(spec.workers, spec.servers);
  }
  choose_root(flags, request);
  if (!flags.order.empty()) {
    plan::require_ring_order(spec.operation, strategy, "--order: ");
    spec.order = plan::parse_order(flags.order, "--order", spec.workers, request.names);
  }
  if (!flags.node.empty()) {
    request.node = request.names.find(flags.node);
    if (!request.node) {
      throw bad_input(fmt::format("--node: there is no node '{}'", flags.node),
                      fmt::format("the first is {}, the last {}", request.names.of(0),
                                  request.names.of(spec.nodes() - 1)));
    }
  }
  return request;
}

}  // namespace trireme::cli
