#include "libtorch/free_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "server/rate.h"
#include "wire/notes.h"

namespace trireme::libtorch {
namespace {

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
      placement_(placement_of(parameters, options.servers, options.whole_tensors)),
      shares_(parameters, placement_),
      seats_(server::make_seats(inside.wire(), workers, placement_, inside.job->timeout)) {
  const Rank rank = inside_.wire().rank();
  if (!is_server()) {
    client_.emplace(seats_, placement_, rank, workers_, inside_.job->timeout);
    return;
  }
  const Rank number = rank - workers_;
  const server::Share& share = placement_.shares[idx(number)];
  if (share.empty()) return;
  share_.emplace(share, shares_.parts(idx(number)));
  const server::LedgerSpec spec{.mode = plan::parse_mode(options.mode, "mode"),
                                .workers = workers_,
                                .server = number,
                                .dispenses = number == placement_.dispenser};
  server_.emplace(inside_.wire(), seats_, *share_, spec, server::parse_staleness_rate(options.staleness_rate),
                  inside_.job->timeout);
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
  shares_.require_types();
  const float factor = options_.clip_norm > 0 ? shares_.clip_factor(options_.clip_norm) : 1.0F;
  for (std::size_t server = 0; server < seats_.size(); ++server) {
    if (!seats_[server]) continue;
    client_->set_has_gradient(server, shares_.put_gradients(server, factor, client_->numbers(server)));
  }
  heard_ = client_->push(
      {.number = std::max<std::int64_t>(next_, 0), .rate = rule.rate, .loss = loss, .wishes = wishes});
  next_ = heard_.next;
  ++steps_;
  take_weights();
  shares_.leave_zeros();
}

void FreeSteps::forget_gradients() {
  const torch::NoGradGuard no_grad;
  shares_.leave_zeros();
}

void FreeSteps::take_weights() {
  for (std::size_t server = 0; server < seats_.size(); ++server) {
    if (seats_[server]) shares_.take_weights(server, client_->numbers(server));
  }
  shares_.give_back();
}

void FreeSteps::leave(std::uint8_t wishes) {
  const torch::NoGradGuard no_grad;
  heard_ = client_->leave(wishes);
  next_ = server::AnswerNote::kNone;
  in_phase_ = false;
  take_weights();
}

void FreeSteps::serve(const server::Phase& phase, const RuleSpec& rule) {
  if (!server_) return;
  const torch::NoGradGuard no_grad;
  shares_.take_in();
  server_->serve(phase, rule_of(groups_, rule));
  shares_.give_back_all();
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
