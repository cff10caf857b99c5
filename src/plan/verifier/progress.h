// Runs all nodes of a plan through their steps as far as they get, to find those that wait forever.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "plan/verifier/message_ends.h"

namespace trireme::plan::verifier {

/// The condition for a send to complete.
enum class Buffering {
  kRendezvous,  ///< its receive is posted
  kOneMessage,  ///< nothing else is under way from this node to that one; messages arrive in the order of
                ///< sending
};

/// Runs until no node can continue. Every message of the plan must have both ends.
class Schedule {
 public:
  Schedule(const Plan& plan, const MessageEnds& ends, Buffering buffering);

  /// Calls `on_message(from, send, to, receive)` (op numbers as in `MessageEnds`) when a message arrives, and
  /// `on_fold(node, fold)` at the end of a step.
  template <typename OnMessage, typename OnFold>
  void run(OnMessage on_message, OnFold on_fold);

  /// Whether every node reached the end of its program.
  [[nodiscard]] bool everybody_finished() const;

  /// Whether the op with this number was begun but never completed.
  [[nodiscard]] bool is_stuck(std::uint32_t number) const {
    const Transfer& transfer = transfers_[number];
    return transfer.kind != OpKind::kFold && transfer.state == State::kPosted;
  }

 private:
  static constexpr std::uint32_t kNone = MessageEnds::kNone;
  enum class State : std::uint8_t { kNotYet, kPosted, kUnderWay, kComplete };

  // All data needed about an op, in one place: thousands of programs are walked side by side, and every
  // further array would mean one more page to look up for each of them.
  struct Transfer {
    std::uint32_t other_end = kNone;
    std::uint32_t previous = kNone, next = kNone;  // sends between the same two nodes
    Rank peer = 0;
    std::int32_t step = 0;
    OpKind kind = OpKind::kFold;
    State state = State::kNotYet;
  };
  struct Node {
    std::uint32_t begin = 0, end = 0;  // the ops of the step
    std::uint32_t program_end = 0;
    std::int64_t outstanding = 0;
  };

  void link_channels(const Plan& plan, const MessageEnds& ends);
  template <typename OnFold>
  bool begin_next_step(Rank node, OnFold on_fold);
  template <typename OnMessage>
  void post(Rank node, std::uint32_t number, OnMessage on_message);
  template <typename OnMessage>
  void put_under_way(Rank from, std::uint32_t send, OnMessage on_message);
  void complete_one_of(Rank node) {
    if (--nodes_[idx(node)].outstanding == 0) finished_.push_back(node);
  }

  Buffering buffering_;
  std::vector<Transfer> transfers_;  // by op number
  std::vector<Node> nodes_;
  std::vector<Rank> finished_, next_finished_;  // nodes whose step is complete
};

template <typename OnMessage, typename OnFold>
void Schedule::run(OnMessage on_message, OnFold on_fold) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) finished_.push_back(static_cast<Rank>(node));
  while (!finished_.empty()) {
    next_finished_.swap(finished_);
    for (const Rank node : next_finished_) {
      if (!begin_next_step(node, on_fold)) continue;
      const Node at = nodes_[idx(node)];
      for (std::uint32_t number = at.begin; number < at.end; ++number) {
        if (transfers_[number].kind != OpKind::kFold) post(node, number, on_message);
      }
    }
    next_finished_.clear();
  }
}

// Runs the folds of the completed step. Returns false at the end of the program.
template <typename OnFold>
bool Schedule::begin_next_step(Rank node, OnFold on_fold) {
  Node& at = nodes_[idx(node)];
  while (true) {
    for (std::uint32_t number = at.begin; number < at.end; ++number) {
      if (transfers_[number].kind == OpKind::kFold) on_fold(node, number);
    }
    at.begin = at.end;
    if (at.begin == at.program_end) return false;
    while (at.end < at.program_end && transfers_[at.end].step == transfers_[at.begin].step) {
      if (transfers_[at.end++].kind != OpKind::kFold) ++at.outstanding;
    }
    if (at.outstanding > 0) return true;
  }
}

template <typename OnMessage>
void Schedule::post(Rank node, std::uint32_t number, OnMessage on_message) {
  Transfer& mine = transfers_[number];
  Transfer& theirs = transfers_[mine.other_end];
  mine.state = State::kPosted;
  if (buffering_ == Buffering::kOneMessage) {
    if (mine.kind == OpKind::kSend) {
      put_under_way(node, number, on_message);
    } else if (theirs.state == State::kUnderWay) {
      put_under_way(mine.peer, mine.other_end, on_message);
    }
    return;
  }
  if (theirs.state != State::kPosted) return;
  if (mine.kind == OpKind::kSend) {
    on_message(node, number, mine.peer, mine.other_end);
  } else {
    on_message(mine.peer, mine.other_end, node, number);
  }
  mine.state = theirs.state = State::kComplete;
  complete_one_of(node);
  complete_one_of(mine.peer);
}

// Moves a send, and those queued behind it, as far as possible: into the one place between the two nodes, and
// out of it.
template <typename OnMessage>
void Schedule::put_under_way(Rank from, std::uint32_t send, OnMessage on_message) {
  for (; send != kNone; send = transfers_[send].next) {
    Transfer& transfer = transfers_[send];
    const bool free = transfer.previous == kNone || transfers_[transfer.previous].state == State::kComplete;
    if (transfer.state == State::kPosted && free) {
      transfer.state = State::kUnderWay;
      complete_one_of(from);
    }
    Transfer& receive = transfers_[transfer.other_end];
    if (transfer.state != State::kUnderWay || receive.state != State::kPosted) return;
    on_message(from, send, transfer.peer, transfer.other_end);
    transfer.state = receive.state = State::kComplete;
    complete_one_of(transfer.peer);
  }
}

}  // namespace trireme::plan::verifier
