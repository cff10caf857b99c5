#include "schedule/schedule.h"

#include <fmt/format.h>

namespace trireme::schedule {

std::string first_line(const Schedule& schedule) {
  return fmt::format(
      "{{\"schedule\":1,\"mode\":\"{}\",\"workers\":{},\"servers\":{},\"staleness_rate\":\"{}\"}}\n",
      schedule.mode, schedule.workers, schedule.servers, schedule.staleness_rate);
}

std::string line(const Write& write) {
  return fmt::format("{{\"server\":{},\"worker\":{},\"gradient\":{},\"read\":{},\"version\":{}{}}}\n",
                     write.server, write.worker, write.gradient, write.read, write.version,
                     write.dropped ? ",\"dropped\":true" : "");
}

std::string to_jsonl(const Schedule& schedule) {
  std::string text = first_line(schedule);
  for (const Write& write : schedule.writes) text += line(write);
  return text;
}

}  // namespace trireme::schedule
