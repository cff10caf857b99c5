#include "rounds/round_driver.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "wire/waiting/patience.h"

namespace trireme::rounds {
namespace {

// Its caller keeps the exchanges going: in `open`, if that is called during backward, and in `finish`.
class CallerDriver final : public RoundDriver {
 public:
  explicit CallerDriver(std::chrono::nanoseconds timeout) : timeout_(timeout) {}

  void begin(std::span<const Item> items) override {
    items_ = items;
    done_ = 0;
    under_way_ = false;
  }
  void open(std::size_t count) override {
    while (done_ < count) {
      if (!current().poll()) return;
      next();
    }
  }
  void finish() override {
    while (done_ < items_.size()) {
      current().wait();
      next();
    }
  }

 private:
  exec::Runner& current() {
    const Item& item = items_[done_];
    if (!under_way_) item.runner->start(item.buffer, Deadline::after(timeout_));
    under_way_ = true;
    return *item.runner;
  }
  void next() {
    ++done_;
    under_way_ = false;
  }

  const std::chrono::nanoseconds timeout_;
  std::span<const Item> items_;
  std::size_t done_ = 0;    // the first so many have been exchanged
  bool under_way_ = false;  // the next one is
};

class ThreadDriver final : public RoundDriver {
 public:
  explicit ThreadDriver(std::chrono::nanoseconds timeout) : timeout_(timeout), thread_([this] { work(); }) {}
  ~ThreadDriver() override { stop(); }

  void stop() noexcept override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void begin(std::span<const Item> items) override {
    const std::scoped_lock lock(mutex_);
    items_ = items;
    open_ = 0;
    done_ = 0;
    failure_ = nullptr;
  }
  void open(std::size_t count) override {
    {
      const std::scoped_lock lock(mutex_);
      open_ = count;
    }
    changed_.notify_all();
  }
  void finish() override {
    open(items_.size());
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ != nullptr || done_ == items_.size(); });
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  [[nodiscard]] bool has_work() const { return failure_ == nullptr && done_ < open_; }

  // Holds the lock but for the exchanges themselves: until `finish` nobody else looks at what they use.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopping_ || has_work(); });
      if (stopping_) return;
      try {
        go_on(lock);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        failure_ = std::current_exception();
      }
      changed_.notify_all();
    }
  }

  void go_on(std::unique_lock<std::mutex>& lock) {
    const std::size_t open = open_;
    const std::span<const Item> items = items_.subspan(done_, open - done_);
    lock.unlock();
    for (const Item& item : items) run(item);
    lock.lock();
    done_ = open;
  }

  // Looks up now and then, for the case that the round is given up.
  void run(const Item& item) {
    if (stopping_) return;
    item.runner->start(item.buffer, Deadline::after(timeout_));
    wire::Patience patience(/*crowded=*/true);
    while (!item.runner->poll()) {
      if (stopping_) return;
      patience.look_away();
    }
  }

  const std::chrono::nanoseconds timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::span<const Item> items_;
  std::atomic<bool> stopping_ = false;
  std::size_t open_ = 0;  // the first so many may be exchanged
  std::size_t done_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

std::string_view name(Drive drive) {
  switch (drive) {
    case Drive::kAfter:
      return "after";
    case Drive::kHooks:
      return "hooks";
    case Drive::kThread:
      return "thread";
  }
  return "";
}

std::unique_ptr<RoundDriver> make_round_driver(Drive drive, std::chrono::nanoseconds timeout) {
  switch (drive) {
    case Drive::kAfter:
    case Drive::kHooks:
      return std::make_unique<CallerDriver>(timeout);
    case Drive::kThread:
      return std::make_unique<ThreadDriver>(timeout);
  }
  return nullptr;
}

}  // namespace trireme::rounds
