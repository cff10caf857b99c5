// Logs once per address that a stranger there was turned away, so that a port scan or a flood fills neither
// the terminal nor the memory.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace trireme::wire::rendezvous {

class StrangerLog {
 public:
  using Print = std::function<void(const std::string& line)>;

  static constexpr std::size_t kMostHosts = 256;  ///< from then on it logs nothing

  /// Lines have no newline at the end.
  explicit StrangerLog(Print print) : print_(std::move(print)) {}

  void turned_away(const std::string& host, std::string_view why);

  [[nodiscard]] const std::set<std::string>& hosts() const { return hosts_; }

 private:
  Print print_;
  std::set<std::string> hosts_;
};

void print_to_stderr(const std::string& line);

}  // namespace trireme::wire::rendezvous
