// Operations and messages of a Group that are started, and the Pending by which a program waits for them.
#include <trireme/trireme.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "api/world_impl.h"

namespace trireme {
inline namespace TRIREME_ABI {
namespace {

// Long enough for a program that computes before it waits: the deadline begins with the wait.
Deadline until_waited_for() { return Deadline::after(Deadline::Clock::duration::max()); }

// What was lent is given back as soon as it is complete.
class StartedExchange final : public Started {
 public:
  StartedExchange(const WorldAccess::Inside::Prepared& prepared, WorldAccess::Call call)
      : prepared_(prepared), call_(std::move(call)) {}

  void begin() override { prepared_.runner->start(prepared_.buffers, until_waited_for()); }
  bool poll() override { return prepared_.runner->poll() && give_back(); }
  void wait(const Deadline& deadline) override {
    prepared_.runner->wait(deadline);
    give_back();
  }

 private:
  bool give_back() {
    call_ = {};
    return true;
  }

  WorldAccess::Inside::Prepared prepared_;
  WorldAccess::Call call_;
};

class StartedMessage final : public Started {
 public:
  StartedMessage(WorldAccess::Inside& group, WorldAccess::Call call)
      : group_(group), call_(std::move(call)) {}

  void begin() override {
    group_.guarded(call_, until_waited_for(), [&] { group_.post(call_, batch_); });
  }
  bool poll() override {
    group_.guarded(call_, until_waited_for(), [&] { group_.wire().progress(); });
    return batch_.complete() && give_back();
  }
  void wait(const Deadline& deadline) override {
    group_.guarded(call_, deadline, [&] { group_.wire().wait(batch_, deadline); });
    give_back();
  }

 private:
  bool give_back() {
    call_ = {};
    return true;
  }

  WorldAccess::Inside& group_;
  WorldAccess::Call call_;
  wire::Batch batch_;
};

}  // namespace

struct Pending::Impl {
  std::shared_ptr<WorldAccess::Inside> group;
  std::shared_ptr<Started> started;
  // Since when the program has asked again and again.
  std::optional<Deadline> asking{};
  Deadline::Clock::time_point asked{};

  [[nodiscard]] StartedOperations& all() const { return group->job->started; }
};

Pending Group::start(const Call& call) {
  impl_->require_free(in_words(call));
  std::shared_ptr<Started> started;
  if (is_message(call)) {
    impl_->check_message(call);
    started = std::make_shared<StartedMessage>(*impl_, call);
  } else {
    started = std::make_shared<StartedExchange>(impl_->prepare(call), call);
  }
  impl_->job->started.add(is_message(call) ? nullptr : impl_.get(), started);
  auto pending = std::make_unique<Pending::Impl>();
  pending->group = impl_;
  pending->started = std::move(started);
  return Pending(std::move(pending));
}

Pending::Pending(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&& other) noexcept {
  if (this == &other) return *this;
  Pending old(std::move(*this));  // waits
  impl_ = std::move(other.impl_);
  return *this;
}

// The program's memory may go after this, so nothing may be under way in it.
Pending::~Pending() {
  if (!impl_ || impl_->started->is_complete()) return;
  if (!impl_->group->is_here()) {  // in a forked child it is left as it is
    static_cast<void>(impl_.release());
    return;
  }
  try {
    if (std::uncaught_exceptions() == 0) {
      wait();
      return;
    }
    Failure failure;
    failure.cause = Failure::Cause::kFailed;
    failure.what = "an exception ends this worker while an operation that it has started is under way";
    failure.hint = "look at what this worker says";
    impl_->group->wire().leave(failure);
    impl_->all().fail(std::make_exception_ptr(Error(failure)));
  } catch (...) {  // this worker has left the job: its next call says so
  }
}

void Pending::wait() {
  require_not_moved();
  if (impl_->started->is_complete()) return;
  impl_->group->require_free("a wait");
  impl_->all().wait(*impl_->started, impl_->group->deadline());
}

bool Pending::done() {
  // A program that asks more seldom computes in between, and is not kept waiting.
  constexpr std::chrono::seconds kLongestPause{1};
  require_not_moved();
  if (impl_->started->is_complete()) return true;
  impl_->group->require_free("a look at what was started");
  if (impl_->all().poll(*impl_->started)) return true;
  const Deadline::Clock::time_point now = Deadline::Clock::now();
  const bool goes_on = impl_->asking && now - impl_->asked <= kLongestPause;
  impl_->asked = now;
  if (!goes_on) impl_->asking = impl_->group->deadline();
  if (impl_->asking->expired()) impl_->all().wait(*impl_->started, *impl_->asking);  // which says who is late
  return impl_->started->is_complete();
}

void Pending::require_not_moved() const {
  if (!impl_) throw bad_input("a Pending that was moved to another is asked", "ask the other one");
}

}  // namespace TRIREME_ABI
}  // namespace trireme
