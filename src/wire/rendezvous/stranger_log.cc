#include "wire/rendezvous/stranger_log.h"

#include <fmt/format.h>

#include "base/system/output.h"

namespace trireme::wire::rendezvous {

void StrangerLog::turned_away(const std::string& host, std::string_view why) {
  if (hosts_.size() >= kMostHosts || !hosts_.insert(host).second) return;
  print_(fmt::format("trireme: a stranger at {} was turned away: {}", host, why));
}

void print_to_stderr(const std::string& line) { write_error(line + "\n"); }

}  // namespace trireme::wire::rendezvous
