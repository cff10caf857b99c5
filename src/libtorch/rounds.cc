#include "libtorch/rounds.h"

#include <fmt/format.h>

#include <utility>

#include "libtorch/node_texts.h"
#include "libtorch/round_setup.h"
#include "libtorch/traffic_sum.h"
#include "rounds/parameter_groups.h"
#include "rounds/update/share_norm.h"
#include "rounds/worker_sum.h"

namespace trireme::libtorch {

Rounds::Rounds(Group& group, torch::nn::Module& module, const ExchangeOptions& options)
    : group_(group),
      inside_(WorldAccess::inside(group)),
      options_(checked(options, inside_.wire().size())),
      workers_(inside_.wire().size() - options_.servers),
      buffers_(buffers_of(module)),
      drive_(drive_of(options_), inside_.wire().rank(), inside_.job->timeout),
      agreement_(inside_.wire(), inside_.exchanges++, is_worker(), drive_, standing_, inside_.job->timeout),
      gradients_(inside_, parameters_of(module), options_, agreement_, drive_),
      sum_of_shares_(inside_.wire(), inside_.job->timeout),
      update_(gradients_.gradients(), gradients_.runners(), sum_of_shares_, options_.groups),
      saver_(inside_, standing_, workers_) {
  const std::vector<NamedTensor>& parameters = gradients_.gradients().parameters();
  require_same(inside_, options_, parameters);
  if (options_.servers > 0) without_servers_ = group_of_workers();
  free_ = FreeSteps::make(inside_, parameters, options_, workers_);
  if (!free_) gradients_.place();
  others_before_ = inside_.wire().counters();
  take_from(0, inside_, parameters);
  take_from(0, inside_, buffers_);
  if (is_worker() && !is_alone() && !free_) {
    std::vector<torch::Tensor> tensors;
    for (const NamedTensor& parameter : parameters) tensors.push_back(parameter.tensor);
    hooks_ = std::make_unique<BackwardHooks>(tensors, [this](std::size_t i) { arrived(i); });
  }
}

// From now on calls of a group with servers are refused.
Group Rounds::group_of_workers() {
  Group workers = group_.split(is_worker() ? std::optional<std::int64_t>(0) : std::nullopt);
  const wire::Wire& wire = inside_.wire();
  for (Rank server = workers_; server < wire.size(); ++server) {
    inside_.job->servers.insert(wire.members().job_rank(server));
  }
  return workers;
}

void Rounds::require_going_on(std::string_view what) const {
  inside_.require_here(what);
  if (!over_) return;
  throw bad_input(fmt::format("{} after this worker has finished, or left because of an error", what),
                  "let an error end the training loop");
}

void Rounds::require_nothing_begun(std::string_view what) const {
  if (!gradients_.is_begun()) return;
  throw bad_input(fmt::format("{} between backward and the average or step of its gradients", what),
                  "call it before backward, or after the step");
}

void Rounds::samples(std::int64_t count) {
  require_nothing_begun("samples");
  gradients_.samples(count);
}

std::shared_ptr<void> Rounds::no_sync() {
  std::shared_ptr<void> token = adding_up_.lock();
  if (!token) adding_up_ = token = std::make_shared<int>();
  return token;
}

// A hook of backward calls it.
void Rounds::arrived(std::size_t parameter) {
  inside_.require_here("backward");  // the gradients of a forked child lie in the same memory
  if (over_) return;
  guarded([&] { gradients_.arrived(parameter, !adding_up_.expired()); });
}

void Rounds::average() {
  if (!adding_up_.expired()) return;
  require_going_on("an average");
  guarded([&] {
    rounds::RoundNote purpose;
    purpose.kind = rounds::RoundKind::kAverage;
    end_round(gradients_.exchange_for(purpose));
    gradients_.give_back(/*after_step=*/false);
  });
}

void Rounds::step(const RuleSpec& rule) {
  if (!adding_up_.expired()) return;
  require_going_on("a step");
  if (free_) return step_freely(rule);
  check(rule);
  rule_ = rounds::rule_in_words(rule);
  update_.require_updatable(rule, has_holders(options_) && !options_.whole_tensors);
  guarded([&] {
    rounds::RoundNote purpose;
    purpose.kind = rounds::RoundKind::kStep;
    purpose.rule = rule;
    end_round(gradients_.exchange_for(purpose));
    gradients_.give_back(/*after_step=*/true);
  });
}

// The gradients have been exchanged, and all nodes know what for. Parameters without a gradient stay as they
// are.
void Rounds::end_round(const rounds::Round& round) {
  const bool takes_part = is_worker() && !following_;
  gradients_.learn_gradients(round, takes_part);
  planned_ += gradients_.runners().per_round();
  if (round.kind == rounds::RoundKind::kStep) {
    take_from(round.leader, inside_, gradients_.take_unfrozen());
    update(round.rule);
  }
  share_buffers(inside_, options_.buffers, buffers_, round, takes_part);
  ++rounds_;
  drive_.end_round(round.drive);
  wishes_ |= round.wishes;
  standing_.wishes = 0;
  saver_.look(round);
}

StateSaver::Holdings Rounds::holdings() {
  RuleStateOwner& update = free_ ? static_cast<RuleStateOwner&>(*free_) : update_;
  const bool own_buffers = options_.buffers == ExchangeOptions::Buffers::kOwn || free_;
  return {gradients_.gradients().parameters(), buffers_, own_buffers, update};
}

void Rounds::save(SaveRequest request) {
  require_going_on("a checkpoint");
  require_nothing_begun("a checkpoint");
  leave_phase();
  request.state.workers = workers_;
  request.state.servers = options_.servers;
  request.state.strategy = options_.strategy;
  if (request.state.rule.empty()) request.state.rule = rule_;
  guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kSave;
    save_for(agreement_.on(note).leader, &request);
  });
}

// `request`: on the leader at least.
void Rounds::save_for(Rank leader, SaveRequest* request) {
  if (free_) {
    checkpoint::State counts;
    free_->save_counts(request != nullptr ? request->state : counts);
  }
  saver_.save(leader, request, holdings());
  if (free_) saver_.settle();  // the notes of steps do not tell that all have written
}

void Rounds::settle() {
  require_going_on("the end of a checkpoint");
  require_nothing_begun("the end of a checkpoint");
  leave_phase();
  guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kSettle;
    static_cast<void>(agreement_.on(note));
    saver_.settle();
  });
}

std::optional<checkpoint::Saved> Rounds::load(const LoadRequest& request) {
  require_going_on("loading a checkpoint");
  require_nothing_begun("loading a checkpoint");
  leave_phase();
  return guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kLoad;
    return load_from(agreement_.on(note).leader, &request);
  });
}

std::optional<checkpoint::Saved> Rounds::load_from(Rank leader, const LoadRequest* request) {
  std::optional<checkpoint::Saved> saved = libtorch::load(inside_, leader, workers_, request, holdings());
  if (saved && free_) free_->load_counts(saved->state());
  return saved;
}

void Rounds::update(const RuleSpec& rule) {
  float factor = 1;
  if (options_.clip_norm > 0) {
    factor = rounds::clip_factor_of(sum_of_shares_, inside_.wire().rank(), gradients_.runners(),
                                    options_.clip_norm);
  }
  update_.step(rule, factor, gradients_.has_gradient());
}

void Rounds::sum(std::span<double> numbers) {
  require_going_on("a sum");
  require_nothing_begun("a sum");
  if (is_alone()) return;
  leave_phase();
  guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kSum;
    note.numbers = std::ssize(numbers);
    static_cast<void>(agreement_.on(note));
    add_up(numbers);
  });
}

void Rounds::add_up(std::span<double> numbers) {
  rounds::sum_over_workers(inside_.wire(), workers_, numbers, inside_.deadline());
}

Exchange::Traffic Rounds::traffic() const {
  wire::Counters counted = gradients_.runners().counted();
  counted += sum_of_shares_.counted();
  wire::Counters planned = planned_;
  planned += sum_of_shares_.planned();
  wire::Counters others = inside_.wire().counters();
  others -= others_before_;
  others -= counted;
  Exchange::Traffic traffic{.messages = counted.sent_messages,
                            .bytes = counted.sent_bytes,
                            .messages_planned = planned.sent_messages,
                            .bytes_planned = planned.sent_bytes,
                            .other_messages = others.sent_messages,
                            .other_bytes = others.sent_bytes,
                            .rounds = rounds_,
                            .update_s = update_.seconds()};
  if (free_) free_->add_traffic(traffic);
  return traffic;
}

Exchange::Traffic Rounds::job_traffic() {
  require_going_on("a sum of traffic");
  require_nothing_begun("a sum of traffic");
  if (is_alone()) return traffic();
  leave_phase();
  return guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kTraffic;
    static_cast<void>(agreement_.on(note));
    return sum_of_traffic(inside_.wire(), traffic(), inside_.deadline());
  });
}

void Rounds::give_up(const Failure& why) noexcept {
  over_ = true;
  gradients_.stop();
  inside_.wire().leave(why);
}

void Rounds::finish() {
  inside_.require_here("the end of the training");
  if (over_) return;
  if (is_alone()) return saver_.settle();
  leave_phase();
  guarded([&] {
    if (gradients_.is_due()) {
      throw bad_input(
          "finish() after a backward whose gradients were neither averaged nor stepped",
          "call average() or step() before finish(), or hold exchange.no_sync() during that backward");
    }
    following_ = true;
    drive_.end_overlap();
    for (;;) {
      const rounds::Round round = agreement_.on({});
      if (round.kind == rounds::RoundKind::kFollow) break;
      follow(round);
    }
    saver_.settle();
    if (free_ && options_.buffers != ExchangeOptions::Buffers::kOwn) take_from(0, inside_, buffers_);
    if (agreement_.was_uneven()) {
      const Rank leader = agreement_.last_leader();
      take_from(leader, inside_, gradients_.gradients().parameters());
      if (options_.buffers != ExchangeOptions::Buffers::kOwn) take_from(leader, inside_, buffers_);
    }
  });
  over_ = true;
}

void Rounds::follow(const rounds::Round& round) {
  std::vector<double> zeros(idx(round.numbers));
  switch (round.kind) {
    case rounds::RoundKind::kFollow:
      return;
    case rounds::RoundKind::kGradients:
      return gradients_.exchange_zeros(round);
    case rounds::RoundKind::kAverage:
    case rounds::RoundKind::kStep:
      if (round.with_gradients) gradients_.exchange_zeros(round);
      return end_round(round);
    case rounds::RoundKind::kSum:
      return add_up(zeros);
    case rounds::RoundKind::kTraffic:
      static_cast<void>(sum_of_traffic(inside_.wire(), traffic(), inside_.deadline()));
      return;
    case rounds::RoundKind::kSave:
      return save_for(round.leader, nullptr);
    case rounds::RoundKind::kSettle:
      return saver_.settle();
    case rounds::RoundKind::kLoad:
      static_cast<void>(load_from(round.leader, nullptr));
      return;
    case rounds::RoundKind::kPhase:
      return follow_phase(round);
    case rounds::RoundKind::kReport:
      static_cast<void>(share_texts(inside_.wire(), report(), "reporting updates", inside_.deadline()));
      return;
  }
}

}  // namespace trireme::libtorch
