#include "libtorch/free_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "libtorch/gradients.h"
#include "optim/norm.h"
#include "rounds/bucket_layout.h"
#include "server/rate.h"
#include "wire/notes.h"

namespace trireme::libtorch {
namespace {

std::span<float> floats(const PlainTensor& tensor) {
  const std::span<std::byte> bytes = tensor.bytes();
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

void copy(std::span<const float> from, std::span<float> into) {
  wire::copy_bytes(reinterpret_cast<std::byte*>(into.data()), reinterpret_cast<const std::byte*>(from.data()),
                   from.size_bytes());
}

optim::TensorShape shape_of(const torch::Tensor& tensor) {
  return optim::shape_of(std::span(tensor.sizes().data(), tensor.sizes().size()));
}

// All of them in one, which is cut into the servers' shares.
rounds::BucketLayout one_bucket(const std::vector<NamedTensor>& parameters) {
  std::vector<rounds::BucketLayout> buckets = lay_out(parameters, std::numeric_limits<std::size_t>::max());
  const bool is_float32 = buckets.size() == 1 && buckets[0].type == exec::ElementType::kFloat32;
  if (is_float32 || buckets.empty()) return buckets.empty() ? rounds::BucketLayout{} : std::move(buckets[0]);
  throw bad_input("step() needs all weights to be float32", "train in float32: net->to(torch::kFloat32)");
}

std::string count_name(const char* what, Rank rank) { return fmt::format("{}.{}", what, rank); }
constexpr const char* kSequence = "sequence";
constexpr const char* kVersion = "version";

}  // namespace

std::unique_ptr<FreeSteps> FreeSteps::make(WorldAccess::Inside& inside,
                                           const std::vector<NamedTensor>& parameters,
                                           const ExchangeOptions& options, Rank workers) {
  if (plan::parse_mode(options.mode, "mode") == plan::Mode{}) return nullptr;
  return std::make_unique<FreeSteps>(inside, parameters, options, workers);
}

FreeSteps::FreeSteps(WorldAccess::Inside& inside, const std::vector<NamedTensor>& parameters,
                     const ExchangeOptions& options, Rank workers)
    : inside_(inside),
      parameters_(parameters),
      options_(options),
      workers_(workers),
      groups_(options.groups, names_of(parameters)),
      placement_(server::place(one_bucket(parameters), options.servers, options.whole_tensors)),
      zeros_(parameters.size()),
      seats_(server::make_seats(inside.wire(), workers, placement_, inside.job->timeout)) {
  for (const NamedTensor& parameter : parameters_) weights_.emplace_back(parameter.tensor);
  const Rank rank = inside_.wire().rank();
  if (!is_server()) {
    client_.emplace(seats_, placement_, rank, workers_, inside_.job->timeout);
    return;
  }
  const Rank number = rank - workers_;
  const server::Share& share = placement_.shares[idx(number)];
  if (share.empty()) return;
  share_.emplace(share, own_parts());
  const server::LedgerSpec spec{.mode = plan::parse_mode(options.mode, "mode"),
                                .workers = workers_,
                                .server = number,
                                .dispenses = number == placement_.dispenser};
  server_.emplace(inside_.wire(), seats_, *share_, spec, server::parse_staleness_rate(options.staleness_rate),
                  inside_.job->timeout);
}

std::vector<server::ShareWeights::Part> FreeSteps::own_parts() {
  std::vector<server::ShareWeights::Part> parts;
  for (const server::SharePart& part : placement_.shares[idx(inside_.wire().rank() - workers_)].parts) {
    parts.push_back({floats(weights_[part.variable]).subspan(idx(part.first), idx(part.count)),
                     shape_of(parameters_[part.variable].tensor)});
  }
  return parts;
}

server::RuleOf FreeSteps::rule_of(const RuleSpec& rule) const {
  return [this, rule](std::size_t variable, double rate) {
    RuleSpec of_step = rule;
    of_step.rate = rate;
    return groups_.rule_of(variable, of_step);
  };
}

void FreeSteps::require_updatable(const RuleSpec& rule) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const RuleSpec own = groups_.rule_of(i, rule);
    const optim::Reach reach = optim::reach(own, shape_of(parameters_[i].tensor));
    if (reach == optim::Reach::kModel) {
      throw bad_input(
          fmt::format("{} with a norm of the whole model needs the gradients of all workers in one step, "
                      "and mode {} has none",
                      name(own), options_.mode),
          "take one norm for each tensor, or mode sync");
    }
    if (reach == optim::Reach::kTensor && !options_.whole_tensors) {
      throw bad_input(fmt::format("{} needs the whole of {}, and shares of the weights may cut it", name(own),
                                  parameters_[i].name),
                      "set ExchangeOptions::whole_tensors");
    }
  }
}

void FreeSteps::begin(const server::Phase& phase, const RuleSpec& rule) {
  rule_ = rule;
  in_phase_ = true;
  heard_ = {};
  next_ = client_->begin(phase);
}

void FreeSteps::step(const RuleSpec& rule, double loss, std::uint8_t wishes) {
  RuleSpec but_for_rate = rule;
  but_for_rate.rate = rule_.rate;
  if (but_for_rate != rule_) {
    throw bad_input("this step has another update rule than the first; only the rate may change",
                    "make another Exchange for another rule");
  }
  const torch::NoGradGuard no_grad;
  const float factor = options_.clip_norm > 0 ? clip_factor() : 1.0F;
  for (std::size_t server = 0; server < seats_.size(); ++server) {
    if (seats_[server]) put_gradients(server, factor);
  }
  heard_ = client_->push(
      {.number = std::max<std::int64_t>(next_, 0), .rate = rule.rate, .loss = loss, .wishes = wishes});
  next_ = heard_.next;
  ++steps_;
  take_weights();
  leave_zeros();
}

void FreeSteps::leave(std::uint8_t wishes) {
  const torch::NoGradGuard no_grad;
  heard_ = client_->leave(wishes);
  next_ = server::AnswerNote::kNone;
  in_phase_ = false;
  take_weights();
}

// Zeros that a step has left do not count, as in rounds.
bool FreeSteps::has_gradient(std::size_t parameter) const {
  const torch::Tensor& tensor = parameters_[parameter].tensor;
  const torch::Tensor& gradient = tensor.grad();
  if (!tensor.requires_grad() || !gradient.defined()) return false;
  const Zeros& zeros = zeros_[parameter];
  return !zeros.gradient.defined() || !gradient.is_same(zeros.gradient) ||
         gradient._version() != zeros.version;
}

float FreeSteps::clip_factor() const {
  std::vector<double> sums;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!has_gradient(i)) continue;
    const PlainTensor plain(parameters_[i].tensor.grad());
    const std::size_t at = sums.size();
    sums.resize(at + idx(optim::norm_blocks(parameters_[i].tensor.numel())));
    optim::sum_squares(floats(plain), std::span(sums).subspan(at));
  }
  return optim::clip_factor(optim::norm_of(sums), options_.clip_norm);
}

void FreeSteps::put_gradients(std::size_t server, float factor) {
  const server::Share& share = placement_.shares[server];
  const std::span<float> numbers = client_->numbers(server);
  std::vector<bool> flags(share.parts.size());
  for (std::size_t i = 0; i < share.parts.size(); ++i) {
    const server::SharePart& part = share.parts[i];
    const std::span<float> place = numbers.subspan(idx(part.place), idx(part.count));
    flags[i] = has_gradient(part.variable);
    if (!flags[i]) {
      std::ranges::fill(place, 0.0F);
      continue;
    }
    const torch::Tensor& gradient = parameters_[part.variable].tensor.grad();
    const PlainTensor plain(gradient.is_sparse() ? gradient.to_dense() : gradient);
    copy(floats(plain).subspan(idx(part.first), idx(part.count)), place);
    optim::scale(place, factor);
  }
  client_->set_has_gradient(server, flags);
}

void FreeSteps::take_weights() {
  for (std::size_t server = 0; server < seats_.size(); ++server) {
    if (!seats_[server]) continue;
    const std::span<float> numbers = client_->numbers(server);
    for (const server::SharePart& part : placement_.shares[server].parts) {
      copy(numbers.subspan(idx(part.place), idx(part.count)),
           floats(weights_[part.variable]).subspan(idx(part.first), idx(part.count)));
    }
  }
  for (const PlainTensor& weights : weights_) weights.give_back();
}

void FreeSteps::leave_zeros() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].tensor.mutable_grad();
    if (!gradient.defined() || !has_gradient(i)) continue;
    gradient.zero_();
    zeros_[i] = {gradient, static_cast<std::uint32_t>(gradient._version())};
  }
}

void FreeSteps::serve(const server::Phase& phase, const RuleSpec& rule) {
  if (!server_) return;
  const torch::NoGradGuard no_grad;
  for (const PlainTensor& weights : weights_) weights.take_in();
  server_->serve(phase, rule_of(rule));
  for (const PlainTensor& weights : weights_) weights.give_back();
}

void FreeSteps::add_traffic(Exchange::Traffic& traffic) const {
  if (!client_ && !server_) return;
  const wire::Counters counted = client_ ? client_->counted() : server_->counted();
  const wire::Counters planned = client_ ? client_->planned() : server_->planned();
  const wire::Counters others = client_ ? client_->others() : server_->others();
  traffic.messages += counted.sent_messages;
  traffic.bytes += counted.sent_bytes;
  traffic.messages_planned += planned.sent_messages;
  traffic.bytes_planned += planned.sent_bytes;
  traffic.other_messages += others.sent_messages;
  traffic.other_bytes += others.sent_bytes;
  traffic.rounds += steps_;
  if (server_) traffic.update_s += server_->update_seconds();
}

void FreeSteps::save_counts(checkpoint::State& state) {
  std::int64_t own = 0;
  if (client_) own = client_->sequence();
  if (server_) own = server_->ledger().version();
  const std::vector<std::byte> notes = wire::share_notes(inside_.wire(), std::as_bytes(std::span(&own, 1)),
                                                         "counting updates", inside_.deadline());
  for (Rank rank = 0; rank < inside_.wire().size(); ++rank) {
    std::int64_t count = 0;
    std::memcpy(&count, notes.data() + idx(rank) * sizeof(count), sizeof(count));
    const bool is_worker = rank < workers_;
    state.numbers[count_name(is_worker ? kSequence : kVersion, is_worker ? rank : rank - workers_)] =
        static_cast<double>(count);
  }
}

// Another number of workers or servers begins to count anew.
void FreeSteps::load_counts(const checkpoint::State& state) {
  if (state.workers != workers_ || state.servers != options_.servers) return;
  const auto count = [&](const char* what, Rank rank) {
    const auto found = state.numbers.find(count_name(what, rank));
    return found == state.numbers.end() ? 0 : static_cast<std::int64_t>(found->second);
  };
  const Rank rank = inside_.wire().rank();
  if (client_) client_->set_sequence(count(kSequence, rank));
  if (!server_) return;
  server_->ledger().set_version(count(kVersion, rank - workers_));
  for (Rank worker = 0; worker < workers_; ++worker) {
    server_->ledger().set_sequence(worker, count(kSequence, worker));
  }
}

std::vector<checkpoint::RuleStatePart> FreeSteps::state(bool /*of_unplaced*/) {
  saved_.forget();
  std::vector<checkpoint::RuleStatePart> parts;
  if (!share_) return parts;
  rounds::WeightUpdate& update = share_->update();
  const std::vector<server::SharePart>& own = share_->share().parts;
  for (const rounds::WeightUpdate::PieceState& of_piece : update.state()) {
    const server::SharePart& part = own[of_piece.piece];
    checkpoint::RuleStatePart state{parameters_[part.variable].name, part.first + of_piece.first,
                                    of_piece.rule->shape().count(), of_piece.steps};
    for (const optim::RuleState& values : of_piece.rule->state()) {
      state.states.push_back({std::string(values.name), values.values});
    }
    parts.push_back(std::move(state));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!saved_.is_there() || update.has_begun(i)) continue;
    parts.push_back(saved_.part(parameters_[own[i].variable].name, own[i].first, own[i].count));
  }
  std::erase_if(parts, [](const checkpoint::RuleStatePart& part) { return part.steps == 0; });
  return parts;
}

void FreeSteps::start_from(std::shared_ptr<const checkpoint::RuleStateReader> saved) {
  saved_.set(std::move(saved));
  if (!share_) return;
  share_->update().start_from([this](std::size_t piece, std::int64_t first, optim::UpdateRule& rule) {
    const server::SharePart& part = share_->share().parts[piece];
    return saved_.start(parameters_[part.variable].name, part.first + first, rule);
  });
}

}  // namespace trireme::libtorch
