#include "wire/transfer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace trireme::wire {
namespace {

Failure failure_of(Rank rank, const Transfer& transfer, Failure::Cause cause) {
  Failure failure;
  failure.cause = cause;
  failure.rank = rank;
  failure.peer = transfer.peer;
  failure.op_id = transfer.id;
  return failure;
}

// Everything that happens after the first failure follows from it.
void blame_first(Failure& failure, const Roster& roster) {
  std::optional<Failure> first = roster.first_failure();
  if (!first) return;
  first->hint.clear();  // this failure has its own hint
  failure.what += fmt::format(" (first failure: {})", to_string(*first));
  failure.culprit = first->culprit ? first->culprit : first->rank;
  failure.hint = "look into the first failure; the others follow from it";
}

}  // namespace

void Transfer::complete() const {
  --batch->outstanding;
  Counters& counters = channel->counters;
  ++(is_send() ? counters.sent_messages : counters.received_messages);
  (is_send() ? counters.sent_bytes : counters.received_bytes) += static_cast<std::int64_t>(bytes);
}

Error late_peer(Rank rank, const Transfer& transfer, const Roster& roster, const Deadline& deadline) {
  Failure failure = failure_of(rank, transfer, Failure::Cause::kTimeout);
  const bool receives = !transfer.is_send();
  failure.what = fmt::format("rank {} has not {}; {}", transfer.peer, receives ? "sent" : "received",
                             roster.whereabouts(transfer.peer));
  failure.culprit = roster.culprit(transfer.peer);
  failure.elapsed = deadline.elapsed();
  if (failure.culprit) {
    failure.hint =
        "find out why that node is late, or give it longer: --timeout, TRIREME_TIMEOUT, JoinOptions::timeout";
  } else {  // in a circle, nobody is
    failure.hint = receives ? "if all receive first, let one send before it receives"
                            : "if all send first, let one receive before it sends, or use start_send";
  }
  blame_first(failure, roster);  // if several were late at once, the others may have left already
  return Error(std::move(failure));
}

Error gone(Rank rank, const Roster& roster) {
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.rank = rank;
  failure.what = "this node has left the exchange";
  blame_first(failure, roster);
  failure.hint = "end the job and start it again";
  return Error(std::move(failure));
}

Error lost_peer(Rank rank, const Transfer& transfer, const Roster& roster, const Deadline* deadline) {
  Failure failure = failure_of(rank, transfer, Failure::Cause::kPeerLost);
  const bool left = roster.has_left(transfer.peer);
  failure.what =
      fmt::format("rank {} {}", transfer.peer,
                  left ? roster.departure(transfer.peer) : "has not answered since another node failed");
  if (left) failure.culprit = transfer.peer;
  blame_first(failure, roster);
  if (deadline != nullptr) failure.elapsed = deadline->elapsed();
  if (failure.hint.empty()) failure.hint = fmt::format("look at the output of rank {}", transfer.peer);
  return Error(std::move(failure));
}

Error other_op(Rank rank, const Transfer& receive) {
  Failure failure = failure_of(rank, receive, Failure::Cause::kMismatch);
  failure.culprit = receive.peer;
  failure.what = fmt::format("rank {} sends something else than what is expected", receive.peer);
  failure.hint = "let every node run the same exchanges in the same order";
  return Error(std::move(failure));
}

Error wrong_length(Rank rank, const Transfer& receive, std::size_t offered) {
  Failure failure = failure_of(rank, receive, Failure::Cause::kMismatch);
  failure.what =
      fmt::format("rank {} sends {} bytes where {} are expected", receive.peer, offered, receive.bytes);
  failure.hint = "let every node exchange as many numbers of the same type";
  return Error(std::move(failure));
}

}  // namespace trireme::wire
