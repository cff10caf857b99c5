#include "wire/faulty.h"

#include <thread>
#include <utility>

namespace trireme::wire {

Counters FaultyWire::counters() const {
  Counters counters = inner_.counters();
  counters.sent_messages += lost_.sent_messages;
  counters.sent_bytes += lost_.sent_bytes;
  return counters;
}

void FaultyWire::post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) {
  if (stopped_) {
    ++batch.outstanding;
    return;
  }
  const bool belongs_to_exchange = id >= 0;
  if (belongs_to_exchange && sends_++ == fault_.at_send) {
    switch (fault_.kind) {
      case Fault::Kind::kLose:
        ++lost_.sent_messages;
        lost_.sent_bytes += static_cast<std::int64_t>(from.size());
        return;
      case Fault::Kind::kDelay:
        std::this_thread::sleep_for(fault_.pause);
        break;
      case Fault::Kind::kClose: {
        Failure gone = failure_at(to, id);
        gone.what = "this node went away (a fault made on purpose)";
        inner_.leave(gone);
        throw Error(std::move(gone));
      }
      case Fault::Kind::kStop:
        stopped_ = failure_at(to, id);
        stopped_->what = "this node fell silent (a fault made on purpose)";
        ++batch.outstanding;
        return;
    }
  }
  inner_.post_send(batch, to, id, from);
}

void FaultyWire::post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  if (stopped_) {
    ++batch.outstanding;
    return;
  }
  inner_.post_receive(batch, from, id, into, combine);
}

void FaultyWire::progress() {
  if (!stopped_) inner_.progress();
}

void FaultyWire::wait(const Batch& batch, const Deadline& deadline) {
  if (!stopped_) return inner_.wait(batch, deadline);
  std::this_thread::sleep_until(deadline.end() + fault_.pause);
  Failure failure = *stopped_;
  failure.cause = Failure::Cause::kTimeout;
  failure.elapsed = deadline.elapsed();
  throw Error(std::move(failure));
}

Failure FaultyWire::failure_at(Rank peer, OpId id) const {
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.rank = rank();
  failure.peer = peer;
  failure.op_id = id;
  failure.hint = "take the fault out of the test";
  return failure;
}

}  // namespace trireme::wire
