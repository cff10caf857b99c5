// Runs any program by messages, on any wire: step by step, all messages of a step at once.
#pragma once

#include <vector>

#include "exec/executor.h"
#include "exec/placement.h"
#include "wire/shm/windows.h"
#include "wire/wire.h"

namespace trireme::exec {

class MessageExecutor final : public Executor {
 public:
  /// Task and wire outlive it.
  MessageExecutor(const Task& task, wire::Wire& wire);

  void begin(const Buffers& buffers) override;
  bool advance() override { return go_through(/*moves=*/true); }
  bool look() override { return go_through(/*moves=*/false); }
  void finish(const Deadline& deadline) override;
  [[nodiscard]] wire::Transfer lacks() const override;
  [[nodiscard]] std::int32_t step() const override;
  [[nodiscard]] const plan::Trace& trace() const override { return trace_; }

 private:
  // Ops [messages, folds) of the program are the step's messages, [folds, end) its folds.
  struct Step {
    std::size_t messages = 0;
    std::size_t folds = 0;
    std::size_t end = 0;
    // Its one fold adds its one message to what the node holds: so that can as well be done as it arrives.
    bool adds_up_on_arrival = false;
    // Its one fold has nothing to add to its one message, which can as well be received in its place.
    bool arrives_in_place = false;
  };

  void prepare_steps();
  [[nodiscard]] const plan::Op* only_addend(const Step& step) const;
  [[nodiscard]] bool can_add_up_on_arrival(const Step& step) const;
  [[nodiscard]] bool can_arrive_in_place(const Step& step) const;
  bool go_through(bool moves);
  void go_on();
  [[nodiscard]] std::uint64_t lacking() const {
    return at_ == At::kBefore ? wire::shm::Entrance::kOpenBut : 0;
  }
  void post(std::int64_t now_ps);
  void post_receive(std::size_t op, const Step& step);
  void complete();
  void complete_sum(std::size_t op);
  void run_fold(std::size_t op);

  const Task& task_;
  wire::Wire& wire_;
  // Through windows every exchange begins at an entrance; elsewhere the Runner sees to it before the first.
  wire::shm::Windows* windows_ = nullptr;
  enum class At { kBefore, kEntrance, kInside } at_ = At::kInside;
  const wire::Combine combine_;
  std::vector<Step> steps_;
  Placement placement_;
  Room room_;
  std::vector<const std::byte*> sources_;  // of the fold at hand; as long as the longest needs
  std::size_t current_ = 0;                // step; posted, unless it is the end
  wire::Batch batch_;
  std::int64_t posted_ps_ = 0;  // when the current step was
  plan::Trace trace_;
};

}  // namespace trireme::exec
