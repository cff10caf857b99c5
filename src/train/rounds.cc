#include "train/rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/output.h"
#include "server/share_norm.h"
#include "server/worker_sum.h"
#include "train/round_setup.h"
#include "wire/notes.h"

namespace trireme {
namespace {

using Buffers = ExchangeOptions::Buffers;
using Wish = ExchangeOptions::Drive;
using Clock = std::chrono::steady_clock;

}  // namespace

Rounds::Rounds(World& world, torch::nn::Module& module, const ExchangeOptions& options)
    : inside_(WorldAccess::inside(world)),
      options_(checked(options, inside_.wire().size())),
      number_(inside_.exchanges++),
      workers_(inside_.wire().size() - options_.servers),
      parameters_(parameters_of(module)),
      buffers_(buffers_of(module)),
      gradients_((require_same(inside_, options_, parameters_), inside_), parameters_, options_.bucket_bytes),
      exchange_(inside_.wire(), plans_of(inside_, options_, workers_, gradients_), inside_.timeout),
      update_(gradients_, exchange_),
      arrivals_(gradients_.parameters().size()),
      seen_(arrivals_.size()),
      missing_(buckets()),
      ready_(buckets()),
      others_before_(inside_.wire().counters()) {
  take_from(0, inside_, parameters_);
  take_from(0, inside_, buffers_);
  inside_.servers = options_.servers;
  prepare_drive();
}

// During backward gradients are exchanged where there is something to gain: with several buckets, and on the
// CPU, where backward runs on the thread of who calls it.
void Rounds::prepare_drive() {
  const auto on_cpu = [](const NamedTensor& parameter) { return parameter.tensor.device().is_cpu(); };
  const auto& trained = gradients_.parameters();
  const bool can_overlap = is_worker() && !is_alone() && buckets() > 1 && options_.drive != Wish::kAfter &&
                           std::all_of(trained.begin(), trained.end(), on_cpu);
  if (is_worker() && !is_alone()) {
    std::vector<torch::Tensor> tensors;
    for (const NamedTensor& parameter : trained) tensors.push_back(parameter.tensor);
    hooks_ = std::make_unique<BackwardHooks>(tensors, [this](std::size_t i) { arrived(i); });
  }
  if (!can_overlap) return;
  if (options_.drive == Wish::kHooks) drive_ = Drive::kHooks;
  if (options_.drive == Wish::kThread) drive_ = Drive::kThread;
  if (options_.drive == Wish::kMeasure && inside_.wire().rank() == 0) trial_.emplace();
  overlaps_ = true;
  exchange_.drive(drive_);
}

// Whatever goes wrong, there is nothing to be done together any more, and the others are told.
template <typename Act>
auto Rounds::guarded(Act act) {
  try {
    return act();
  } catch (const Error& error) {
    leave(error.failure());
    throw;
  } catch (const std::exception& exception) {
    Failure failure;
    failure.cause = Failure::Cause::kPeerLost;
    failure.what = exception.what();
    leave(failure);
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

Round Rounds::agree(RoundNote note) {
  note.exchange = number_;
  note.is_worker = is_worker();
  note.drive = static_cast<std::int32_t>(trial_ ? trial_->current() : drive_);
  const Round round = agree_on_round(inside_.wire(), note, inside_.deadline());
  if (round.kind != RoundKind::kFollow) last_leader_ = round.leader;
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
  std::fill(arrivals_.begin(), arrivals_.end(), 0);
  std::fill(ready_.begin(), ready_.end(), false);
  for (std::size_t i = 0; i < buckets(); ++i) missing_[i] = gradients_.buckets()[i].layout.places.size();
  RoundNote note;
  note.kind = RoundKind::kGradients;
  note.samples = samples_.value_or(RoundNote::kNotSaid);
  exchange_.begin([this, note] { return agree(note).divisor; });
}

// By a hook of backward.
void Rounds::arrived(std::size_t parameter) {
  inside_.require_here("backward");  // the gradients of a forked child lie in the same memory
  if (over_) return;
  ++seen_[parameter];
  if (!wanted_()) return;
  guarded([&] {
    if (overlaps_) begin_round();
    if (++arrivals_[parameter] > 1) {
      throw bad_input(
          fmt::format("backward ran again before {} was exchanged", gradients_.parameters()[parameter].name),
          "call average or step after each backward, or hold exchange.no_sync() during all but the last");
    }
    const std::size_t bucket = gradients_.bucket_of(parameter);
    if (overlaps_ && --missing_[bucket] == 0) make_ready(bucket);
  });
}

void Rounds::make_ready(std::size_t bucket) {
  gradients_.take_in(bucket);
  weigh(bucket);
  ready_[bucket] = true;
  exchange_.ready(bucket);
}

// Every gradient times the samples that it is a mean over.
void Rounds::weigh(std::size_t bucket) {
  if (!samples_ || *samples_ == 1) return;
  const Gradients::Bucket& memory = gradients_.buckets()[bucket];
  const auto type = memory.layout.type == ElementType::kFloat32 ? torch::kFloat32 : torch::kFloat64;
  torch::Tensor numbers = torch::from_blob(memory.bytes.data(), {memory.layout.elements}, type);
  // Of no samples there may be no number at all.
  if (*samples_ == 0) numbers.zero_();
  if (*samples_ > 1) numbers.mul_(*samples_);
}

void Rounds::exchange_gradients() {
  begin_round();
  for (std::size_t i = 0; i < buckets(); ++i) {
    if (!ready_[i]) make_ready(i);
  }
  exchange_.finish();
  if (options_.strict) require_gradients();
  begun_ = inside_.busy = false;
  std::fill(arrivals_.begin(), arrivals_.end(), 0);
  samples_.reset();
}

void Rounds::take_in_alone() {
  for (std::size_t i = 0; i < buckets(); ++i) {
    gradients_.take_in(i);
    if (samples_ == 0) weigh(i);
  }
  samples_.reset();
}

// This node has none, and the others must not wait for it.
void Rounds::exchange_nothing(std::int64_t divisor) {
  for (const Gradients::Bucket& bucket : gradients_.buckets()) {
    std::fill(bucket.bytes.begin(), bucket.bytes.end(), std::byte{0});
  }
  exchange_.begin([divisor] { return divisor; });
  exchange_.finish();
  if (options_.strict) require_gradients();
}

// A worker that left one out is fine as long as another did not.
void Rounds::require_gradients() {
  std::vector<std::int32_t> seen(seen_.size());
  seen.swap(seen_);
  inside_.sum_over_nodes(std::span(seen));
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == 0) missing.push_back(gradients_.parameters()[i].name);
  }
  if (missing.empty()) return;
  throw bad_input(fmt::format("no worker has a gradient for {}", fmt::join(missing, ", ")),
                  "freeze what the loss does not depend on, or train without ExchangeOptions::strict");
}

// ---- what comes after them

void Rounds::average() {
  require_going_on("an average");
  if (is_alone()) {
    take_in_alone();
    gradients_.give_back();
    ++rounds_;
    return;
  }
  guarded([&] {
    exchange_gradients();
    RoundNote note;
    note.kind = RoundKind::kAverage;
    end_round(agree(note));
    gradients_.give_back();
  });
}

void Rounds::step(const RuleSpec& rule) {
  require_going_on("a step");
  check(rule);
  if (!update_.possible()) {
    throw bad_input("step updates weights of float32, and there are others",
                    "train in float32: net->to(torch::kFloat32); or use average() and an optimizer");
  }
  guarded([&] {
    if (is_alone()) {
      take_in_alone();
      update(rule);
      ++rounds_;
    } else {
      exchange_gradients();
      RoundNote note;
      note.kind = RoundKind::kStep;
      note.rule = rule;
      end_round(agree(note));
    }
    gradients_.give_back();
  });
}

// The gradients have been exchanged, and all nodes know what for.
void Rounds::end_round(const Round& round) {
  if (round.kind == RoundKind::kStep) update(round.rule);
  share_buffers(round);
  ++rounds_;
  watch_drive();
  adopt_drive(round);
}

void Rounds::update(const RuleSpec& rule) {
  float factor = 1;
  if (options_.clip_norm > 0) {
    factor = clip_factor_of(inside_.wire(), exchange_, options_.clip_norm, inside_.deadline());
  }
  update_.step(rule, factor, exchange_);
}

void Rounds::share_buffers(const Round& round) {
  if (buffers_.empty() || options_.buffers == Buffers::kOwn || is_alone()) return;
  if (options_.buffers == Buffers::kFromRank0) return take_from(round.leader, inside_, buffers_);
  std::vector<NamedTensor> numbers;
  std::vector<NamedTensor> others;
  for (const NamedTensor& buffer : buffers_) {
    (buffer.tensor.is_floating_point() ? numbers : others).push_back(buffer);
  }
  average_numbers(inside_, numbers, !following_ && is_worker(), round.active);
  take_from(round.leader, inside_, others);
}

void Rounds::watch_drive() {
  if (!trial_ || trial_->over()) return;
  const Clock::time_point now = Clock::now();
  if (last_end_) trial_->took(std::chrono::duration<double>(now - *last_end_).count());
  last_end_ = now;
  if (trial_->over()) write_error(fmt::format("trireme: buckets are exchanged {}\n", trial_->in_words()));
}

void Rounds::adopt_drive(const Round& round) {
  const auto wanted = static_cast<Drive>(round.drive);
  if (!overlaps_ || options_.drive != Wish::kMeasure || wanted == drive_) return;
  drive_ = wanted;
  exchange_.drive(drive_);
}

// ---- other things that are done together

void Rounds::sum(std::span<double> numbers) {
  require_going_on("a sum");
  require_nothing_begun("a sum");
  if (is_alone()) return;
  guarded([&] {
    RoundNote note;
    note.kind = RoundKind::kSum;
    note.numbers = std::ssize(numbers);
    static_cast<void>(agree(note));
    add_up(numbers);
  });
}

void Rounds::add_up(std::span<double> numbers) {
  sum_over_workers(inside_.wire(), workers_, numbers, inside_.deadline());
}

Exchange::Traffic Rounds::traffic() const {
  const Counters counted = exchange_.counted();
  const Counters planned = exchange_.per_round();
  Counters others = inside_.wire().counters();
  others -= others_before_;
  others -= counted;
  return {.messages = counted.sent_messages,
          .bytes = counted.sent_bytes,
          .messages_planned = planned.sent_messages * rounds_,
          .bytes_planned = planned.sent_bytes * rounds_,
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
    RoundNote note;
    note.kind = RoundKind::kTraffic;
    static_cast<void>(agree(note));
    return add_up_traffic();
  });
}

Exchange::Traffic Rounds::add_up_traffic() {
  Exchange::Traffic total = traffic();
  const std::vector<std::byte> notes = share_notes(inside_.wire(), std::as_bytes(std::span(&total, 1)),
                                                   "adding up traffic", inside_.deadline());
  std::vector<Exchange::Traffic> all(idx(inside_.wire().size()));
  std::memcpy(all.data(), notes.data(), notes.size());
  total = {};
  for (const Exchange::Traffic& one : all) {
    total.messages += one.messages;
    total.bytes += one.bytes;
    total.messages_planned += one.messages_planned;
    total.bytes_planned += one.bytes_planned;
    total.other_messages += one.other_messages;
    total.other_bytes += one.other_bytes;
    total.rounds = std::max(total.rounds, one.rounds);
    total.update_s = std::max(total.update_s, one.update_s);
  }
  return total;
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
    const bool left_over =
        std::any_of(arrivals_.begin(), arrivals_.end(), [](auto times) { return times > 0; });
    if (begun_ || left_over) {
      throw bad_input("a backward whose gradients were neither averaged nor stepped, and then the end",
                      "call average or step after it, or hold exchange.no_sync() during it");
    }
    following_ = true;
    exchange_.drive(Drive::kAfter);
    for (;;) {
      const Round round = agree({});
      if (round.kind == RoundKind::kFollow) break;
      follow(round);
    }
    if (uneven_) {
      take_from(last_leader_, inside_, parameters_);
      if (options_.buffers != Buffers::kOwn) take_from(last_leader_, inside_, buffers_);
    }
  });
  over_ = true;
}

void Rounds::follow(const Round& round) {
  std::vector<double> zeros(idx(round.numbers));
  switch (round.kind) {
    case RoundKind::kFollow:
      return;
    case RoundKind::kGradients:
      return exchange_nothing(round.divisor);
    case RoundKind::kAverage:
    case RoundKind::kStep:
      return end_round(round);
    case RoundKind::kSum:
      return add_up(zeros);
    case RoundKind::kTraffic:
      static_cast<void>(add_up_traffic());
      return;
  }
}

}  // namespace trireme
