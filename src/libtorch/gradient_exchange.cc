#include "libtorch/gradient_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "libtorch/round_setup.h"

namespace trireme::libtorch {

GradientExchange::GradientExchange(WorldAccess::Inside& inside, std::vector<NamedTensor> parameters,
                                   const ExchangeOptions& options, rounds::Agreement& agreement,
                                   rounds::DriveChoice& drive)
    : inside_(inside),
      options_(options),
      agreement_(agreement),
      drive_(drive),
      gradients_(inside, std::move(parameters), options.bucket_bytes),
      names_(names_of(gradients_.parameters())),
      runners_(inside.wire(), inside.job->timeout),
      trained_(gradients_.requiring()),
      arrivals_(trained_.size()),
      seen_(trained_.size()) {}

// Frozen parameters cost nothing until they are trained. It pays to exchange during backward if there are
// several buckets, and on the CPU, where backward runs on its caller's thread.
void GradientExchange::place() {
  const std::size_t before = gradients_.buckets().size();
  gradients_.place(trained_);
  const std::vector<Gradients::Bucket>& buckets = gradients_.buckets();
  const Rank workers = inside_.wire().size() - options_.servers;
  runners_.add(plans_of(inside_, options_, workers, std::span(buckets).subspan(before)));
  arrivals_.set_buckets(buckets.size());
  const auto on_cpu = [](const NamedTensor& parameter) { return parameter.tensor.device().is_cpu(); };
  const bool is_worker = inside_.wire().rank() < workers;
  const bool can_overlap = is_worker && !is_alone() && buckets.size() > 1 && drive_.may_overlap() &&
                           std::ranges::all_of(gradients_.parameters(), on_cpu);
  if (can_overlap) drive_.begin_overlap();
}

void GradientExchange::begin_round() {
  if (begun_) return;
  if (inside_.job->busy) {
    throw bad_input("one backward for the modules of two exchanges",
                    "make both with ExchangeOptions::Drive::kAfter, or run a backward for each");
  }
  inside_.job->require_nothing_started("an exchange of gradients");
  begun_ = inside_.job->busy = true;
  arrivals_.begin();
  agreed_.reset();
  const rounds::ParameterFlags requiring = gradients_.requiring();
  if (requiring != trained_) agree(requiring);  // there may be more buckets afterwards
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    if (trained_[i] != 0) arrivals_.expect(gradients_.bucket_of(i));
  }
}

// Comes before the first bucket is exchanged. After backward everything about the round is known, and one
// note says all of it.
void GradientExchange::agree(const rounds::ParameterFlags& requiring) {
  rounds::RoundNote note;
  note.kind = rounds::RoundKind::kGradients;
  note.trains_others = requiring != trained_;
  if (purpose_ && arrivals_.all_ready() && !note.trains_others) {
    note = *purpose_;
    note.lacks_gradients = lacks_gradients();
    note.with_gradients = true;
  }
  note.samples = samples_.value_or(rounds::RoundNote::kNotSaid);
  agreed_ = agreement_.on(note);
  if (agreed_->trains_others) learn_trained(requiring);
  drive_.driver().begin(runners_.divide_by(agreed_->divisor));
}

// Other parameters require a gradient than in the round before.
void GradientExchange::learn_trained(const std::optional<rounds::ParameterFlags>& own) {
  const rounds::ParameterFlags before = std::move(trained_);
  trained_ = rounds::agree_on_trained(inside_.wire(), own, names_, inside_.deadline());
  place();
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    const bool is_new_to_holders = runners_.has_holders() && trained_[i] > before[i];
    if (is_new_to_holders) unfrozen_.push_back(gradients_.parameters()[i]);
  }
}

void GradientExchange::arrived(std::size_t parameter, bool add_up) {
  // It may have been frozen since forward.
  if (!gradients_.parameters()[parameter].tensor.requires_grad()) return;
  seen_[parameter] = 1;
  if (add_up) return;
  if (drive_.overlaps()) begin_round();
  if (!arrivals_.arrive(parameter)) {
    throw bad_input(
        fmt::format("backward ran again before {} was exchanged", names_[parameter]),
        "call average or step after each backward, or hold exchange.no_sync() during all but the last");
  }
  const std::size_t bucket = gradients_.bucket_of(parameter);
  if (drive_.overlaps() && trained_[parameter] != 0 && arrivals_.completes(bucket)) make_ready(bucket);
}

void GradientExchange::make_ready(std::size_t bucket) {
  gradients_.take_in(bucket, trained_);
  gradients_.weigh(bucket, samples_.value_or(1));
  arrivals_.make_ready(bucket);
  const std::size_t open = arrivals_.open();
  if (open == 0 || drive_.current() == rounds::Drive::kAfter) return;
  if (!agreed_) agree(trained_);
  drive_.driver().open(open);
}

rounds::Round GradientExchange::exchange_for(const rounds::RoundNote& purpose) {
  if (is_alone()) {
    take_in_alone();
  } else {
    purpose_ = purpose;
    begin_round();
    for (std::size_t i = 0; i < gradients_.buckets().size(); ++i) {
      if (!arrivals_.is_ready(i)) make_ready(i);
    }
    if (!agreed_) agree(trained_);
    finish_round();
    begun_ = inside_.job->busy = false;
    purpose_.reset();
    arrivals_.forget();
  }
  samples_.reset();
  if (agreed_ && agreed_->with_gradients) return *agreed_;
  rounds::RoundNote note = purpose;
  note.lacks_gradients = lacks_gradients();
  return agreement_.on(note);
}

// One worker has no sum to divide: its gradients keep their bits.
void GradientExchange::take_in_alone() {
  const rounds::ParameterFlags requiring = gradients_.requiring();
  if (requiring != trained_) learn_trained(requiring);
  for (std::size_t i = 0; i < gradients_.buckets().size(); ++i) {
    gradients_.take_in(i, trained_);
    if (samples_ == 0) gradients_.weigh(i, 0);
  }
  if (options_.strict) rounds::require_gradients(trained_, gradients_.found(), names_);
}

void GradientExchange::exchange_zeros(const rounds::Round& round) {
  if (round.trains_others) learn_trained(std::nullopt);
  for (const Gradients::Bucket& bucket : gradients_.buckets()) {
    std::fill(bucket.bytes.begin(), bucket.bytes.end(), std::byte{0});
  }
  drive_.driver().begin(runners_.divide_by(round.divisor));
  finish_round();
}

void GradientExchange::finish_round() {
  drive_.driver().finish();
  if (!options_.strict) return;
  rounds::require_gradients(inside_.wire(), trained_, seen_, names_, inside_.deadline());
  std::fill(seen_.begin(), seen_.end(), 0);
}

bool GradientExchange::lacks_gradients() const {
  const rounds::ParameterFlags& found = gradients_.found();
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    if (trained_[i] > found[i]) return true;
  }
  return false;
}

void GradientExchange::learn_gradients(const rounds::Round& round, bool takes_part) {
  has_gradient_ = trained_;
  if (!round.lacks_gradients) return;
  const rounds::ParameterFlags own =
      takes_part ? gradients_.found() : rounds::ParameterFlags(trained_.size());
  has_gradient_ = rounds::on_any_node(inside_.wire(), own, inside_.deadline());
}

std::vector<NamedTensor> GradientExchange::take_unfrozen() { return std::exchange(unfrozen_, {}); }

void GradientExchange::stop() noexcept {
  begun_ = inside_.job->busy = false;
  drive_.driver().stop();
}

}  // namespace trireme::libtorch
