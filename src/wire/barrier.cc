#include "wire/barrier.h"

#include "wire/entrance.h"

namespace trireme {
namespace {

// No op of a plan, and no note, has such an id.
constexpr OpId kBarrier = -3;

// In each round a node tells one further away that it and all before it have come, twice as many each time:
// after the last one everybody knows of everybody, and nobody leaves much before the others.
void tell_all(Wire& wire, const Deadline& deadline) {
  const Rank nodes = wire.size();
  for (Rank reach = 1; reach < nodes; reach *= 2) {
    Batch batch;
    wire.post_receive(batch, (wire.rank() - reach + nodes) % nodes, kBarrier, {}, copy_bytes);
    wire.post_send(batch, (wire.rank() + reach) % nodes, kBarrier, {});
    wire.wait(batch, deadline);
  }
}

void meet_at_entrance(Windows& windows, const Deadline& deadline) {
  Entrance entrance(windows);
  entrance.come(Purpose("a barrier"));
  entrance.raise();
  windows.wait(entrance, deadline);
  entrance.require_same();
}

}  // namespace

void barrier(Wire& wire, const Deadline& deadline) {
  constexpr const char* kWhere = "at a barrier";
  try {
    if (wire.windows() != nullptr) {
      meet_at_entrance(*wire.windows(), deadline);
    } else {
      tell_all(wire, deadline);
    }
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (failure.op.empty()) failure.op = kWhere;
    wire.leave(failure);  // what was posted belongs to a batch that goes now
    throw Error(failure);
  }
}

}  // namespace trireme
