// Operations that a worker has started and not yet waited for.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "base/deadline.h"
#include "wire/job_wire.h"

namespace trireme {
inline namespace TRIREME_ABI {

/// One of them. After a call has thrown, this worker has left the job.
class Started {
 public:
  Started() = default;
  virtual ~Started() = default;
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  virtual void begin() = 0;
  /// Goes on without waiting. True when it is complete.
  virtual bool poll() = 0;
  /// Goes on until it is complete.
  virtual void wait(const Deadline& deadline) = 0;

  [[nodiscard]] bool is_complete() const { return state_ == State::kComplete; }

 private:
  friend class StartedOperations;
  enum class State : std::uint8_t { kQueued, kRunning, kAwaited, kComplete };
  State state_ = State::kQueued;
};

/// All of a worker, in all of its groups. Those in one line, which is a group, run one after another, in the
/// order in which they were started; those without a line (null) begin at once. While there are any, they
/// move on in every wait of the worker. When one fails, all fail, for the worker has left the job.
class StartedOperations final : private wire::Meanwhile {
 public:
  explicit StartedOperations(wire::JobWire& wire) : wire_(wire) {}
  ~StartedOperations() {
    if (!empty()) wire_.set_meanwhile(nullptr);
  }
  StartedOperations(const StartedOperations&) = delete;
  StartedOperations& operator=(const StartedOperations&) = delete;

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void add(const void* line, std::shared_ptr<Started> started);
  /// Moves all on. True when this one is complete.
  bool poll(const Started& started);
  /// Waits for it, and for those before it in its line.
  void wait(const Started& started, const Deadline& deadline);
  /// Waits for all in the line.
  void finish(const void* line, const Deadline& deadline);
  /// This worker has left the job, for this reason: nothing moves on any more.
  void fail(std::exception_ptr reason) noexcept;

 private:
  struct Entry {
    const void* line = nullptr;
    std::shared_ptr<Started> started;
  };

  void advance() override;
  template <typename Act>
  void guarded(Act act);
  void wait_for(const std::shared_ptr<Started>& started, const Deadline& deadline);
  void begin_next();
  [[nodiscard]] const Entry* first_in(const void* line) const;

  wire::JobWire& wire_;
  std::vector<Entry> entries_;  // those that are not complete, in the order in which they were started
  std::exception_ptr failure_;  // the first one
  bool advancing_ = false;
};

}  // namespace TRIREME_ABI
}  // namespace trireme
