// What a node waits for.
#pragma once

#include "wire/roster/roster.h"
#include "wire/transfer.h"

namespace trireme::wire {

/// Something that a node waits for; asked again and again until it is there.
class Awaited {
 public:
  /// May do what can be done now. An exception ends the wait.
  virtual bool arrived() = 0;
  /// A transfer that is missing, for errors: preferably one with a node that has left.
  [[nodiscard]] virtual Transfer missing(const Roster& roster) const = 0;

 protected:
  ~Awaited() = default;
};

}  // namespace trireme::wire
