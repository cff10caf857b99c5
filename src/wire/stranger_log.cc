#include "wire/stranger_log.h"

#include <fmt/format.h>

#include <cstdio>

namespace trireme {

void StrangerLog::turned_away(const std::string& host, std::string_view why) {
  if (hosts_.size() >= kMostHosts || !hosts_.insert(host).second) return;
  print_(fmt::format("trireme: a stranger at {} was turned away: {}", host, why));
}

void print_to_stderr(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

}  // namespace trireme
