#include <fmt/format.h>
#include <trireme/torch.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "base/system/output.h"
#include "libtorch/exchange_access.h"
#include "libtorch/round_setup.h"
#include "libtorch/rounds.h"
#include "libtorch/serving.h"

namespace trireme {
namespace {

// A server has nothing to do in the program of the workers.
Group& worker_of(Group& group, torch::nn::Module& module, const ExchangeOptions& options) {
  WorldAccess::Inside& inside = WorldAccess::inside(group);
  inside.require_free("an Exchange");
  if (options.servers == 0 || group.rank() < group.size() - options.servers) return group;
  libtorch::serve(group, module, options);
  inside.job->end();  // MPI wants it
  std::fflush(nullptr);
  std::exit(0);
}

}  // namespace

struct Exchange::Impl {
  Impl(Group& group, torch::nn::Module& module, const ExchangeOptions& options)
      : has_holders(libtorch::has_holders(options)),
        rounds(worker_of(group, module, options), module, options) {}

  void finish() {
    rounds.finish();
    const std::optional<libtorch::SaveResult> last = rounds.take_saved();
    if (last && last->failure) write_error(libtorch::lost_checkpoint(*last));
  }

  const bool has_holders;
  libtorch::Rounds rounds;
  const int exceptions = std::uncaught_exceptions();
};

Exchange::Exchange(Group& group, torch::nn::Module& module, ExchangeOptions options)
    : impl_(std::make_unique<Impl>(group, module, options)) {}

Exchange::~Exchange() {
  if (!impl_->rounds.is_here()) {  // a forked child, which is not this worker and has none of its threads
    static_cast<void>(impl_.release());
    return;
  }
  if (std::uncaught_exceptions() <= impl_->exceptions) {
    try {
      impl_->finish();
    } catch (const std::exception& error) {
      write_error(fmt::format("trireme: {}\n", error.what()));
    }
    return;
  }
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what = "an exception ended the training loop of this worker";
  failure.hint = "look at what this worker says";
  impl_->rounds.give_up(failure);
}

Group& Exchange::workers() { return impl_->rounds.workers(); }

void Exchange::samples(std::int64_t count) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // so that all workers' fit in 63 bits
  if (count < 0) throw bad_input(fmt::format("{} samples: the number must not be negative", count));
  if (count > kMost) throw bad_input(fmt::format("{} samples are more than any batch has", count));
  impl_->rounds.samples(count);
}

void Exchange::average() {
  if (impl_->has_holders) {
    throw bad_input(
        "a parameter server updates the weights itself, and average() leaves that to an optimizer",
        "use step(rule), or another strategy, such as auto");
  }
  impl_->rounds.average();
}

void Exchange::step(const RuleSpec& rule) { impl_->rounds.step(rule); }
std::shared_ptr<void> Exchange::no_sync() { return impl_->rounds.no_sync(); }
void Exchange::sum(std::span<double> numbers) { impl_->rounds.sum(numbers); }
void Exchange::finish() { impl_->finish(); }
void Exchange::give_up(const Failure& why) noexcept { impl_->rounds.give_up(why); }
Exchange::Traffic Exchange::traffic() const { return impl_->rounds.traffic(); }
Exchange::Traffic Exchange::job_traffic() { return impl_->rounds.job_traffic(); }
std::size_t Exchange::buckets() const { return impl_->rounds.buckets(); }

libtorch::Rounds& ExchangeAccess::rounds(Exchange& exchange) { return exchange.impl_->rounds; }

void libtorch::serve(Group& group, torch::nn::Module& module, const ExchangeOptions& options) {
  libtorch::Rounds(group, module, options).finish();
}

}  // namespace trireme
