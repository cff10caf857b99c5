#include "rounds/agreement.h"

#include "base/deadline.h"

namespace trireme::rounds {

Round Agreement::on(RoundNote note) {
  note.exchange = exchange_;
  note.is_worker = is_worker_;
  note.drive = drive_.told();
  note.wishes = standing_.wishes;
  note.written = standing_.written.load(std::memory_order_acquire);
  const Round round = agree_on_round(wire_, note, Deadline::after(timeout_));
  if (round.kind != RoundKind::kFollow) last_leader_ = round.leader;
  was_uneven_ = was_uneven_ || round.uneven;
  return round;
}

}  // namespace trireme::rounds
