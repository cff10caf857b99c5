#include "trainer/worker.h"

#include <fmt/format.h>
#include <torch/torch.h>
#include <trireme/torch.h>

#include <array>
#include <bit>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "api/world_impl.h"
#include "base/error.h"
#include "base/text.h"
#include "libtorch/exchange_access.h"
#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "libtorch/serving.h"
#include "libtorch/stored_tensors.h"
#include "train/compute_threads.h"
#include "train/model_rules.h"
#include "train/model_shape.h"
#include "train/output/reporter.h"
#include "train/start.h"
#include "train/step_board.h"
#include "train/step_plan.h"
#include "trainer/evaluation.h"
#include "trainer/free_phases.h"
#include "trainer/job_model.h"
#include "trainer/models.h"
#include "trainer/replay.h"
#include "trainer/trainer.h"
#include "trainer/training_saver.h"
#include "world/connection.h"

namespace trireme::trainer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

bool exchanges_nothing(const train::TrainConfig& config) { return config.exchange.strategy == "none"; }

ExchangeOptions::Drive drive_of(const std::string& word) {
  if (word == "after") return ExchangeOptions::Drive::kAfter;
  if (word == "hooks") return ExchangeOptions::Drive::kHooks;
  if (word == "thread") return ExchangeOptions::Drive::kThread;
  return ExchangeOptions::Drive::kMeasure;
}

ExchangeOptions options_of(const train::TrainConfig& config) {
  ExchangeOptions options;
  if (!exchanges_nothing(config)) options.strategy = config.exchange.strategy;
  options.servers = config.exchange.servers;
  options.mode = to_string(config.exchange.mode);
  options.staleness_rate = config.exchange.staleness_rate;
  options.bucket_bytes = static_cast<std::size_t>(config.exchange.bucket_bytes);
  options.clip_norm = config.clip_norm;
  options.groups = train::groups_of(config);
  options.whole_tensors = train::needs_whole_tensors(config);
  options.drive = drive_of(config.exchange.drive);
  return options;
}

std::optional<Blas> own_blas() {
  std::ifstream maps("/proc/self/maps");
  return loaded_blas(std::string{std::istreambuf_iterator<char>(maps), {}});
}

// The numbers of one worker, or of all added up.
struct TrainingSums {
  EvaluationSums evaluated;
  double samples_per_s = 0;
  train::TimeSplit time;
};

void serve_workers(World& world, const train::TrainJob& job) {
  torch::nn::Sequential net = model_of(job);
  libtorch::serve(world, *net, options_of(job.config));
}

class Worker {
 public:
  // `partners` are the workers that it exchanges with: the world, or itself alone if nothing is exchanged.
  Worker(World& world, World& partners, const train::TrainJob& job)
      : world_(world),
        job_(job),
        config_(job.config),
        net_(model_of(job)),
        plan_(plan_among(partners)),
        exchange_(partners, *net_, options_of(config_)),
        trainer_(config_, job.data.train, order_, net_, exchange_, world.rank(), ahead_),
        saver_(job, world.rank(), rounds(), trainer_.batches(),
               {.tell = [this](const std::string& sentence) { reporter_->tell(sentence); },
                .saved =
                    [this](const libtorch::SaveResult& result, double waited) {
                      reporter_->saved(result.step, result.bytes, result.seconds, waited);
                    }}),
        evaluator_(job.data.test, config_.exchange.workers, world.rank()) {}

  // Returns whether it came to its end. Tells the others if an exception ends it.
  bool run() {
    try {
      if (world_.rank() == 0) reporter_.emplace(job_);
      return train();
    } catch (const std::exception& exception) {
      exchange_.give_up(train::failure_of(exception, world_.rank()));
      train::leave(world_, exception);
      throw;
    }
  }

 private:
  bool train() try {
    introduce();
    go_on_from_checkpoint();
    if (exchanges_nothing(config_)) world_.barrier();
    start_s_ = seconds_since(job_.started);
    first_step_ = Clock::now();
    if (is_free()) return train_freely();
    for (std::int64_t step = done_ + 1; step <= steps_; ++step) {
      if (job_.steps != nullptr) {
        job_.steps->begin(world_.rank(), step, trainer_.batches().epoch_of(step) + 1);
      }
      saver_.begin_step();
      take_step(step);
      done_ = step;
      if (saver_.is_to_stop() && step < steps_) return stop();
      if (is_evaluated(step)) evaluate(step);
      if (step < steps_) saver_.save_if_due(step, loss_);
    }
    if (done_ == before_) evaluate(done_);
    conclude(seconds_since(first_step_));
    return true;
  } catch (const c10::Error& error) {
    throw in_plain_words(error, job_);
  }

  [[nodiscard]] bool is_free() const { return config_.exchange.mode != plan::Mode{}; }

  // In modes other than sync.
  bool train_freely() {
    FreePhases phases(job_, trainer_, rounds(), saver_);
    const auto watch = [this](std::int64_t gradient, bool done) {
      const std::int64_t step = trainer_.step_of(gradient);
      if (done) return tell_gradient(step);
      if (job_.steps == nullptr) return;
      job_.steps->begin(world_.rank(), step, trainer_.batches().epoch_of(step) + 1);
    };
    while (done_ < steps_) {
      done_ = phases.run(done_, steps_, watch);
      conclude_phases(phases);  // who goes on from the checkpoint has the schedule up to there
      if (saver_.is_to_stop() && done_ < steps_) return stop();
      if (done_ < steps_) saver_.save_if_due(done_, loss_);
      saver_.settle();
    }
    if (!free_) conclude_phases(phases);
    evaluate(done_);
    conclude(seconds_since(first_step_));
    return true;
  }

  void conclude_phases(FreePhases& phases) {
    std::string writes;
    free_ = phases.conclude(writes);
    if (reporter_) reporter_->add_schedule(writes);
  }

  // Of this worker; the loss is of all.
  void tell_gradient(std::int64_t step) {
    const server::AnswerNote& heard = rounds().free()->heard();
    loss_ = heard.loss;
    if (!reporter_) return;
    train::Progress progress = progress_at(step);
    progress.updates = heard.updates;
    progress.staleness =
        heard.updates > 0 ? static_cast<double>(heard.staleness_sum) / static_cast<double>(heard.updates) : 0;
    progress.most_staleness = heard.staleness_most;
    const bool logged = gradients_++ == 0 || gradients_ % config_.train.log_every == 0;
    tell_progress(progress, logged);
  }

  [[nodiscard]] libtorch::Rounds& rounds() { return ExchangeAccess::rounds(exchange_); }

  void go_on_from_checkpoint() {
    if (!job_.from) return;
    const checkpoint::State& from = job_.from->state();
    static_cast<void>(rounds().load({.folder = job_.from->folder(), .verify = false}));
    if (const auto loss = from.numbers.find("loss"); loss != from.numbers.end()) loss_ = loss->second;
    if (!reporter_) return;
    reporter_->tell(fmt::format("going on from {}, after {}", printable(job_.from->folder().string()),
                                counted(from.step, "step")));
    for (const std::string& sentence : train::say_changes(config_, order_, from)) reporter_->tell(sentence);
    if (from.step >= steps_) {
      reporter_->tell("nothing is left to train: train.steps and train.epochs count from step 0");
    }
  }

  // Somebody wishes it: what was learnt is kept.
  bool stop() {
    saver_.save_at_end(done_, loss_);
    exchange_.finish();
    save_weights();
    return false;
  }

  void save_weights() {
    if (reporter_ && !config_.run.save.empty()) libtorch::write_weights(config_.run.save, *net_);
  }

  [[nodiscard]] train::StepPlan plan_among(World& partners) {
    WorldAccess::Inside& inside = WorldAccess::inside(partners);
    train::StepPlanSpec spec;
    spec.strategy = options_of(config_).strategy;
    spec.wire = inside.wire().kind();
    spec.in_windows = inside.wire().windows() != nullptr;
    spec.workers = exchanges_nothing(config_) ? 1 : config_.exchange.workers;
    spec.servers = config_.exchange.servers;
    spec.whole_tensors = train::needs_whole_tensors(config_);
    spec.clips = config_.clip_norm > 0;
    spec.measured_tensors = train::measured_tensors(config_, tensors_);
    inside.job->tells_choices = false;  // the introduction tells them
    std::size_t bucket_bytes = options_of(config_).bucket_bytes;
    if (is_free()) {  // the update of one worker, which has one message for each share
      spec.workers = 1;
      spec.clips = false;
      bucket_bytes = std::numeric_limits<std::size_t>::max();
    }
    buckets_ = libtorch::lay_out(libtorch::parameters_of(*net_), bucket_bytes);
    return train::plan_step(spec, buckets_);
  }

  void introduce() {
    if (!reporter_) return;
    train::Introduction introduction;
    introduction.workers = config_.exchange.workers;
    introduction.servers = config_.exchange.servers;
    introduction.connection = WorldAccess::inside(world_).job->connection->in_words();
    introduction.strategy = config_.exchange.strategy;
    introduction.plan = plan_;
    for (const plan::PlanSpec& bucket : plan_.buckets) introduction.parameters += bucket.parameters;
    introduction.rules = train::say_rules(config_, tensors_);
    introduction.mode = config_.exchange.mode;
    introduction.staleness_rate = config_.exchange.staleness_rate;
    introduction.placement = placement();
    introduction.threads = job_.threads;
    introduction.threads_are_chosen = config_.train.threads > 0;
    introduction.cores = job_.cores;
    introduction.nodes_here = job_.nodes_here;
    introduction.blas = own_blas();
    reporter_->introduce(introduction);
  }

  [[nodiscard]] std::vector<train::ServerShare> placement() const {
    const std::vector<std::string> names = libtorch::names_of(libtorch::parameters_of(*net_));
    return train::shares_of(plan_.buckets, buckets_, names, config_.exchange.workers);
  }

  void take_step(std::int64_t step) {
    const bool logged = step == before_ + 1 || step == steps_ || step % config_.train.log_every == 0;
    if (const std::optional<double> loss = trainer_.step(step, logged)) loss_ = *loss;
    if (reporter_) tell_progress(progress_at(step), logged);
  }

  [[nodiscard]] train::Progress progress_at(std::int64_t step) const {
    train::Progress progress;
    progress.step = step;
    progress.steps = steps_;
    progress.loss = loss_;
    progress.samples_per_s = trainer_.throughput().samples_per_second_of_interval();
    progress.mean_samples_per_s = trainer_.throughput().samples_per_second();
    progress.seconds_left = trainer_.throughput().seconds_per_step() * static_cast<double>(steps_ - step);
    progress.seconds = seconds_since(first_step_);
    return progress;
  }

  void tell_progress(const train::Progress& progress, bool logged) {
    reporter_->step(progress, logged, trainer_.batches().epoch_of(progress.step) + 1,
                    trainer_.rate_of(progress.step));
    if (logged) trainer_.begin_interval();
    if (job_.steps == nullptr) return;
    job_.steps->reach(world_.rank(), {progress.step, steps_, progress.mean_samples_per_s,
                                      seconds_since(first_step_), loss_});
  }

  [[nodiscard]] bool is_evaluated(std::int64_t step) const {
    if (step == steps_) return true;
    const std::int64_t every = config_.train.eval_every;
    return every > 0 && trainer_.batches().ends_epoch(step) &&
           (trainer_.batches().epoch_of(step) + 1) % every == 0;
  }

  // Adds up doubles, or a struct of doubles. Workers that exchange nothing else do it in the world.
  template <typename Numbers>
  [[nodiscard]] Numbers sum_over_workers(const Numbers& own) {
    auto numbers = std::bit_cast<std::array<double, sizeof(Numbers) / sizeof(double)>>(own);
    exchanges_nothing(config_) ? world_.sum(numbers, "direct") : exchange_.sum(numbers);
    return std::bit_cast<Numbers>(numbers);
  }

  // Numbers to predict have none.
  [[nodiscard]] std::optional<double> accuracy_of(const EvaluationSums& sums) const {
    if (job_.data.test.classes == 0) return {};
    return sums.correct / sums.samples;
  }

  void evaluate(std::int64_t step) {
    train::LapClock clock;
    evaluated_ = evaluator_.evaluate(net_);
    const EvaluationSums sums = sum_over_workers(evaluated_);
    evaluation_s_ += clock.lap();
    require_number(sums.loss, step, "the test loss");
    if (!reporter_) return;
    const TrainBatches& batches = trainer_.batches();
    reporter_->evaluated(step, batches.epoch_of(step) + 1, batches.ends_epoch(step),
                         {sums.loss / sums.samples, accuracy_of(sums)});
  }

  // Fills in the numbers that only all workers together know.
  void add_up(train::TrainSummary& summary) {
    const Exchange::Traffic traffic = exchange_.job_traffic();
    TrainingSums own{evaluated_, trainer_.throughput().samples_per_second(), trainer_.time()};
    own.time.evaluation = evaluation_s_;
    own.time.saving = saver_.seconds();
    const auto [evaluated, samples_per_s, time] = sum_over_workers(own);
    const double workers = config_.exchange.workers;
    summary.test_loss = evaluated.loss / evaluated.samples;
    summary.test_accuracy = accuracy_of(evaluated);
    summary.samples_per_s = samples_per_s / workers;
    summary.time = {.compute = time.compute / workers,
                    .exchange_exposed = time.exchange_exposed / workers,
                    .data = time.data / workers,
                    .update = time.update / workers,
                    .evaluation = time.evaluation / workers,
                    .saving = time.saving / workers};
    summary.messages = traffic.messages;
    summary.bytes = traffic.bytes;
    summary.other_messages = traffic.other_messages;
    summary.other_bytes = traffic.other_bytes;
    if (is_free()) {
      summary.messages_planned = traffic.messages_planned;
      summary.bytes_planned = traffic.bytes_planned;
      return;
    }
    summary.messages_planned = plan_.messages * traffic.rounds;
    summary.bytes_planned = plan_.bytes * traffic.rounds;
  }

  void conclude(double seconds) {
    train::TrainSummary summary;
    summary.workers = config_.exchange.workers;
    summary.servers = config_.exchange.servers;
    const bool alone = WorldAccess::inside(world_).wire().size() == 1;  // without a server, too
    summary.strategy = alone || exchanges_nothing(config_) ? "none" : plan_.strategy();
    summary.wire = alone ? "none" : wire::name(WorldAccess::inside(world_).wire().kind());
    summary.steps = steps_;
    summary.seconds = seconds;
    summary.start_s = start_s_;
    summary.loss = loss_;
    summary.free = free_;
    summary.placement = placement();
    if (done_ > before_) saver_.save_at_end(done_, loss_);
    add_up(summary);
    exchange_.finish();
    save_weights();
    summary.weights = config_.run.save;
    summary.checkpoint = saver_.newest();
    summary.weights_sha256 = digest_of_weights(*net_);
    if (!reporter_) return;
    if (job_.steps != nullptr) job_.steps->conclude();
    reporter_->finish(summary);
    if (summary.as_planned()) return;
    Failure failure;
    failure.cause = Failure::Cause::kMismatch;
    failure.what =
        fmt::format("the wire has counted {} messages and {} bytes, and {} and {} were planned",
                    summary.messages, summary.bytes, summary.messages_planned, summary.bytes_planned);
    throw Error(failure);
  }

  World& world_;
  const train::TrainJob& job_;
  const train::TrainConfig& config_;
  torch::nn::Sequential net_;
  const std::vector<train::ModelTensor> tensors_ =
      train::tensors_of(config_.model, job_.data.train.shape, job_.data.train.outputs());
  std::vector<rounds::BucketLayout> buckets_;
  const train::StepPlan plan_;
  Exchange exchange_;
  const data::ShardedOrder order_ = train::order_of(config_, job_.data.train, world_.rank());
  const checkpoint::State* const from_ = job_.from ? &job_.from->state() : nullptr;
  const std::int64_t ahead_ = from_ != nullptr ? train::ahead_of_steps(*from_, order_) : 0;
  const std::int64_t steps_ = train::steps_of(config_, order_, from_);
  const std::int64_t before_ = from_ != nullptr ? from_->step : 0;  // steps
  std::int64_t done_ = before_;
  Trainer trainer_;
  TrainingSaver saver_;
  Evaluator evaluator_;
  std::optional<train::Reporter> reporter_;  // on rank 0
  double start_s_ = 0;
  Clock::time_point first_step_;
  double loss_ = 0;  // in the last step that was logged
  double evaluation_s_ = 0;
  EvaluationSums evaluated_;                  // by this worker
  std::int64_t gradients_ = 0;                // of this worker, in modes other than sync
  std::optional<train::FreeSummary> free_{};  // likewise, at the end
};

}  // namespace

bool take_part(World& world, const train::TrainJob& job) {
  torch::set_num_threads(job.threads);
  train::set_openblas_threads(job.threads);
  if (!job.config.run.replay.empty()) {
    replay(world, job);
    return true;
  }
  std::optional<World> alone;
  if (exchanges_nothing(job.config)) {
    alone = WorldAccess::make(world::connect(world::FoundWorld{}, Deadline::after(world.timeout())),
                              world.timeout());
  }
  if (world.rank() >= job.config.exchange.workers) {
    serve_workers(world, job);
    return true;
  }
  return Worker(world, alone ? *alone : world, job).run();
}

}  // namespace trireme::trainer
