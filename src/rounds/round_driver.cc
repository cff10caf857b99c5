#include "rounds/round_driver.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "rounds/exchange_queue.h"
#include "wire/patience.h"

namespace trireme::rounds {
namespace {

// Which items may begin: those that are ready, and all before them are too.
class ReadyItems {
 public:
  void reset(std::size_t count) {
    ready_.assign(count, false);
    open_ = 0;
  }
  void add(std::size_t i) {
    ready_[i] = true;
    while (open_ < ready_.size() && ready_[open_]) ++open_;
  }
  void add_all() { open_ = ready_.size(); }
  /// The first so many.
  [[nodiscard]] std::size_t open() const { return open_; }

 private:
  std::vector<bool> ready_;
  std::size_t open_ = 0;
};

class AfterDriver final : public RoundDriver {
 public:
  explicit AfterDriver(std::chrono::nanoseconds timeout) : timeout_(timeout) {}

  void begin(std::span<const Item> items, std::function<void()> first) override {
    items_ = items;
    first_ = std::move(first);
  }
  void ready(std::size_t) override {}
  void finish() override {
    first_();
    for (const Item& item : items_) item.runner->run(item.buffer, Deadline::after(timeout_));
  }

 private:
  const std::chrono::nanoseconds timeout_;
  std::span<const Item> items_;
  std::function<void()> first_;
};

class HookDriver final : public RoundDriver {
 public:
  explicit HookDriver(std::chrono::nanoseconds timeout) : timeout_(timeout) {}

  void begin(std::span<const Item> items, std::function<void()> first) override {
    items_ = items;
    first_ = std::move(first);
    ready_.reset(items.size());
    started_ = 0;
  }
  void ready(std::size_t i) override {
    ready_.add(i);
    start_open();
    queue_.poll();
  }
  void finish() override {
    ready_.add_all();
    start_open();
    queue_.wait_for_all();
  }

 private:
  void start_open() {
    if (first_ && (ready_.open() > 0 || items_.empty())) std::exchange(first_, nullptr)();
    for (; started_ < ready_.open(); ++started_) {
      queue_.start(*items_[started_].runner, items_[started_].buffer, Deadline::after(timeout_));
    }
  }

  const std::chrono::nanoseconds timeout_;
  std::span<const Item> items_;
  std::function<void()> first_;
  ReadyItems ready_;
  std::size_t started_ = 0;
  ExchangeQueue queue_;
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

  void begin(std::span<const Item> items, std::function<void()> first) override {
    const std::scoped_lock lock(mutex_);
    items_ = items;
    first_ = std::move(first);
    ready_.reset(items.size());
    open_ = 0;
    done_ = 0;
    failure_ = nullptr;
  }
  void ready(std::size_t i) override {
    ready_.add(i);
    open_up();
  }
  void finish() override {
    ready_.add_all();
    open_up();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ != nullptr || done_ == items_.size(); });
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  // What comes first is for who has called: it cannot be given up in the middle, as an exchange can. The
  // thread does nothing before it.
  void open_up() {
    if (first_ && (ready_.open() > 0 || items_.empty())) std::exchange(first_, nullptr)();
    {
      const std::scoped_lock lock(mutex_);
      open_ = ready_.open();
    }
    changed_.notify_all();
  }

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
  std::function<void()> first_;  // this and the next of the caller alone
  ReadyItems ready_;
  std::mutex mutex_;  // for the rest
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
      return std::make_unique<AfterDriver>(timeout);
    case Drive::kHooks:
      return std::make_unique<HookDriver>(timeout);
    case Drive::kThread:
      return std::make_unique<ThreadDriver>(timeout);
  }
  return nullptr;
}

}  // namespace trireme::rounds
