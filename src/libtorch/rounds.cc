#include "libtorch/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libtorch/round_setup.h"
#include "libtorch/traffic_sum.h"
#include "rounds/share_norm.h"
#include "rounds/worker_sum.h"

namespace trireme::libtorch {

Rounds::Rounds(World& world, torch::nn::Module& module, const ExchangeOptions& options)
    : inside_(WorldAccess::inside(world)),
      options_(checked(options, inside_.wire().size())),
      number_(inside_.exchanges++),
      workers_(inside_.wire().size() - options_.servers),
      buffers_(buffers_of(module)),
      gradients_(inside_, parameters_of(module), options_.bucket_bytes),
      names_(names_of(gradients_.parameters())),
      exchange_(inside_.wire(), inside_.timeout),
      update_(gradients_, exchange_),
      trained_(gradients_.requiring()),
      arrivals_(trained_.size()),
      seen_(trained_.size()),
      drive_(drive_of(options_), inside_.wire().rank()) {
  require_same(inside_, options_, gradients_.parameters());
  add_buckets_for(trained_);
  others_before_ = inside_.wire().counters();
  take_from(0, inside_, gradients_.parameters());
  take_from(0, inside_, buffers_);
  inside_.servers = options_.servers;
  if (is_worker() && !is_alone()) {
    std::vector<torch::Tensor> tensors;
    for (const NamedTensor& parameter : gradients_.parameters()) tensors.push_back(parameter.tensor);
    hooks_ = std::make_unique<BackwardHooks>(tensors, [this](std::size_t i) { arrived(i); });
  }
}

// Those that had none yet: what was frozen until now has cost nothing.
void Rounds::add_buckets_for(const rounds::ParameterFlags& trained) {
  const std::size_t before = buckets();
  gradients_.place(trained);
  exchange_.add(plans_of(inside_, options_, workers_, std::span(gradients_.buckets()).subspan(before)));
  update_.add_buckets();
  arrivals_.set_buckets(buckets());
  prepare_drive();
}

// During backward gradients are exchanged where there is something to gain: with several buckets, and on the
// CPU, where backward runs on the thread of who calls it.
void Rounds::prepare_drive() {
  const auto on_cpu = [](const NamedTensor& parameter) { return parameter.tensor.device().is_cpu(); };
  const std::vector<NamedTensor>& parameters = gradients_.parameters();
  const bool can_overlap = is_worker() && !is_alone() && buckets() > 1 && drive_.may_overlap() &&
                           std::all_of(parameters.begin(), parameters.end(), on_cpu);
  if (!can_overlap) return;
  drive_.begin_overlap();
  exchange_.drive(drive_.current());
}

// Whatever goes wrong, there is nothing to be done together any more, and the others are told.
template <typename Act>
auto Rounds::guarded(Act act) {
  try {
    return act();
  } catch (const std::exception& exception) {
    leave(failure_of(exception));
    throw;
  }
}

void Rounds::require_going_on(std::string_view what) const {
  inside_.require_here(what);
  if (!over_) return;
  throw bad_input(fmt::format("{} after this worker has finished, or left because of an error", what),
                  "let an error end the training loop");
}

// Buckets may be under way.
void Rounds::require_nothing_begun(std::string_view what) const {
  if (!begun_) return;
  throw bad_input(fmt::format("{} between backward and the average or step of its gradients", what),
                  "call it before backward, or after the step");
}

void Rounds::samples(std::int64_t count) {
  require_nothing_begun("samples");
  samples_ = count;
}

rounds::Round Rounds::agree(rounds::RoundNote note) {
  note.exchange = number_;
  note.is_worker = is_worker();
  note.drive = drive_.told();
  const rounds::Round round = rounds::agree_on_round(inside_.wire(), note, inside_.deadline());
  if (round.kind != rounds::RoundKind::kFollow) last_leader_ = round.leader;
  uneven_ = uneven_ || round.uneven;
  return round;
}

// ---- gradients

void Rounds::begin_round() {
  if (begun_) return;
  if (inside_.busy) {
    throw bad_input("one backward for the modules of two exchanges",
                    "make both with ExchangeOptions::Drive::kAfter, or run a backward for each");
  }
  begun_ = inside_.busy = true;
  arrivals_.begin();
  agreed_.reset();
  rounds::RoundNote note;
  note.kind = rounds::RoundKind::kGradients;
  note.samples = samples_.value_or(rounds::RoundNote::kNotSaid);
  const rounds::ParameterFlags requiring = gradients_.requiring();
  note.trains_others = requiring != trained_;
  if (note.trains_others) {
    // There may be more buckets then: all hear of it before the first is exchanged.
    exchange_.begin([divisor = agree_on_gradients(note, requiring)] { return divisor; });
  } else {
    exchange_.begin([this, note] { return agree_on_gradients(note, trained_); });
  }
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    if (trained_[i] != 0) arrivals_.expect(gradients_.bucket_of(i));
  }
}

// By what their sums are divided. After backward all is known that is to be said of the round, and one note
// says it.
std::int64_t Rounds::agree_on_gradients(rounds::RoundNote note, const rounds::ParameterFlags& requiring) {
  if (purpose_ && arrivals_.all_ready() && !note.trains_others) {
    note.kind = purpose_->kind;
    note.rule = purpose_->rule;
    note.lacks_gradients = lacks_gradients();
    note.with_gradients = true;
  }
  const rounds::Round round = agree(note);
  if (round.with_gradients) agreed_ = round;
  if (round.trains_others) learn_trained(requiring);
  return round.divisor;
}

// Other parameters require a gradient than in the round before.
void Rounds::learn_trained(const std::optional<rounds::ParameterFlags>& own) {
  const rounds::ParameterFlags before = std::move(trained_);
  trained_ = rounds::agree_on_trained(inside_.wire(), own, names_, inside_.deadline());
  add_buckets_for(trained_);
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    const bool is_new_to_holders = exchange_.has_holders() && trained_[i] > before[i];
    if (is_new_to_holders) unfrozen_.push_back(gradients_.parameters()[i]);
  }
}

// By a hook of backward.
void Rounds::arrived(std::size_t parameter) {
  inside_.require_here("backward");  // the gradients of a forked child lie in the same memory
  const bool is_trained = gradients_.parameters()[parameter].tensor.requires_grad();
  if (over_ || !is_trained) return;  // it may have been frozen since forward
  seen_[parameter] = 1;
  if (!wanted_()) return;
  guarded([&] {
    if (drive_.overlaps()) begin_round();
    if (!arrivals_.arrive(parameter)) {
      throw bad_input(
          fmt::format("backward ran again before {} was exchanged", names_[parameter]),
          "call average or step after each backward, or hold exchange.no_sync() during all but the last");
    }
    const std::size_t bucket = gradients_.bucket_of(parameter);
    if (drive_.overlaps() && trained_[parameter] != 0 && arrivals_.completes(bucket)) make_ready(bucket);
  });
}

void Rounds::make_ready(std::size_t bucket) {
  gradients_.take_in(bucket, trained_);
  gradients_.weigh(bucket, samples_.value_or(1));
  arrivals_.make_ready(bucket);
  exchange_.ready(bucket);
}

// Returns what all have agreed to do with them: as `purpose` says.
rounds::Round Rounds::exchange_gradients_for(const rounds::RoundNote& purpose) {
  purpose_ = purpose;
  begin_round();
  for (std::size_t i = 0; i < buckets(); ++i) {
    if (!arrivals_.is_ready(i)) make_ready(i);
  }
  finish_gradients();
  begun_ = inside_.busy = false;
  purpose_.reset();
  arrivals_.forget();
  samples_.reset();
  if (agreed_) return *agreed_;
  rounds::RoundNote note = purpose;
  note.lacks_gradients = lacks_gradients();
  return agree(note);
}

void Rounds::take_in_alone() {
  const rounds::ParameterFlags requiring = gradients_.requiring();
  if (requiring != trained_) learn_trained(requiring);
  for (std::size_t i = 0; i < buckets(); ++i) {
    gradients_.take_in(i, trained_);
    if (samples_ == 0) gradients_.weigh(i, 0);
  }
  has_gradient_ = gradients_.found();
  if (options_.strict) rounds::require_gradients(trained_, has_gradient_, names_);
  planned_ += exchange_.per_round();
  samples_.reset();
}

// This node has none, and the others must not wait for it.
void Rounds::exchange_nothing(const rounds::Round& round) {
  if (round.trains_others) learn_trained(std::nullopt);
  for (const Gradients::Bucket& bucket : gradients_.buckets()) {
    std::fill(bucket.bytes.begin(), bucket.bytes.end(), std::byte{0});
  }
  exchange_.begin([divisor = round.divisor] { return divisor; });
  finish_gradients();
}

void Rounds::finish_gradients() {
  exchange_.finish();
  if (!options_.strict) return;
  rounds::require_gradients(inside_.wire(), trained_, seen_, names_, inside_.deadline());
  std::fill(seen_.begin(), seen_.end(), 0);
}

// ---- what comes after them

void Rounds::average() {
  require_going_on("an average");
  guarded([&] {
    if (is_alone()) {
      take_in_alone();
      ++rounds_;
    } else {
      rounds::RoundNote purpose;
      purpose.kind = rounds::RoundKind::kAverage;
      end_round(exchange_gradients_for(purpose));
    }
    gradients_.give_back(has_gradient_, false);
  });
}

void Rounds::step(const RuleSpec& rule) {
  require_going_on("a step");
  check(rule);
  update_.require_float32();
  guarded([&] {
    if (is_alone()) {
      take_in_alone();
      update(rule);
      ++rounds_;
    } else {
      rounds::RoundNote purpose;
      purpose.kind = rounds::RoundKind::kStep;
      purpose.rule = rule;
      end_round(exchange_gradients_for(purpose));
    }
    gradients_.give_back(has_gradient_, true);
  });
}

bool Rounds::lacks_gradients() const {
  const rounds::ParameterFlags& found = gradients_.found();
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    if (trained_[i] > found[i]) return true;
  }
  return false;
}

// The gradients have been exchanged, and all nodes know what for. What nobody used stays as it is.
void Rounds::end_round(const rounds::Round& round) {
  const bool takes_part = is_worker() && !following_;
  has_gradient_ = trained_;
  if (round.lacks_gradients) {
    const rounds::ParameterFlags own =
        takes_part ? gradients_.found() : rounds::ParameterFlags(trained_.size());
    has_gradient_ = rounds::on_any_node(inside_.wire(), own, inside_.deadline());
  }
  planned_ += exchange_.per_round();
  if (round.kind == rounds::RoundKind::kStep) {
    if (!unfrozen_.empty()) take_from(round.leader, inside_, std::exchange(unfrozen_, {}));
    update(round.rule);
  }
  share_buffers(inside_, options_.buffers, buffers_, round, takes_part);
  ++rounds_;
  const rounds::Drive before = drive_.current();
  drive_.end_round(round.drive);
  if (drive_.current() != before) exchange_.drive(drive_.current());
}

void Rounds::update(const RuleSpec& rule) {
  float factor = 1;
  if (options_.clip_norm > 0) {
    factor = rounds::clip_factor_of(inside_.wire(), exchange_, options_.clip_norm, inside_.deadline());
  }
  update_.step(rule, factor, has_gradient_, exchange_);
}

// ---- other things that are done together

void Rounds::sum(std::span<double> numbers) {
  require_going_on("a sum");
  require_nothing_begun("a sum");
  if (is_alone()) return;
  guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kSum;
    note.numbers = std::ssize(numbers);
    static_cast<void>(agree(note));
    add_up(numbers);
  });
}

void Rounds::add_up(std::span<double> numbers) {
  rounds::sum_over_workers(inside_.wire(), workers_, numbers, inside_.deadline());
}

Exchange::Traffic Rounds::traffic() const {
  const wire::Counters counted = exchange_.counted();
  wire::Counters others = inside_.wire().counters();
  others -= others_before_;
  others -= counted;
  return {.messages = counted.sent_messages,
          .bytes = counted.sent_bytes,
          .messages_planned = planned_.sent_messages,
          .bytes_planned = planned_.sent_bytes,
          .other_messages = others.sent_messages,
          .other_bytes = others.sent_bytes,
          .rounds = rounds_,
          .update_s = update_.seconds()};
}

Exchange::Traffic Rounds::job_traffic() {
  require_going_on("a sum of traffic");
  require_nothing_begun("a sum of traffic");
  if (is_alone()) return traffic();
  return guarded([&] {
    rounds::RoundNote note;
    note.kind = rounds::RoundKind::kTraffic;
    static_cast<void>(agree(note));
    return sum_of_traffic(inside_.wire(), traffic(), inside_.deadline());
  });
}

void Rounds::leave(const Failure& failure) noexcept {
  over_ = true;
  begun_ = inside_.busy = false;
  exchange_.stop();
  inside_.wire().leave(failure);
}

void Rounds::follow() {
  inside_.require_here("the end of the training");
  if (over_ || is_alone()) return;
  guarded([&] {
    if (begun_ || arrivals_.any()) {
      throw bad_input(
          "finish() after a backward whose gradients were neither averaged nor stepped",
          "call average() or step() before finish(), or hold exchange.no_sync() during that backward");
    }
    following_ = true;
    exchange_.drive(rounds::Drive::kAfter);
    for (;;) {
      const rounds::Round round = agree({});
      if (round.kind == rounds::RoundKind::kFollow) break;
      follow(round);
    }
    if (uneven_) {
      take_from(last_leader_, inside_, gradients_.parameters());
      if (options_.buffers != ExchangeOptions::Buffers::kOwn) take_from(last_leader_, inside_, buffers_);
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
      return exchange_nothing(round);
    case rounds::RoundKind::kAverage:
    case rounds::RoundKind::kStep:
      if (round.with_gradients) exchange_nothing(round);
      return end_round(round);
    case rounds::RoundKind::kSum:
      return add_up(zeros);
    case rounds::RoundKind::kTraffic:
      static_cast<void>(sum_of_traffic(inside_.wire(), traffic(), inside_.deadline()));
      return;
  }
}

}  // namespace trireme::libtorch
