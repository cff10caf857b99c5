#include "wire/barrier.h"

#include "wire/entrance.h"
#include "wire/notes.h"

namespace trireme {

void barrier(Wire& wire, const Deadline& deadline) {
  constexpr const char* kWhere = "at a barrier";
  if (wire.windows() == nullptr) {
    static_cast<void>(share_notes(wire, {}, kWhere, deadline));
    return;
  }
  try {
    Entrance entrance(*wire.windows());
    entrance.come(Purpose("a barrier"));
    entrance.raise();
    wire.windows()->wait(entrance, deadline);
    entrance.require_same();
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (failure.op.empty()) failure.op = kWhere;
    wire.leave(failure);
    throw Error(failure);
  }
}

}  // namespace trireme
