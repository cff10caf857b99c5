// The way of what nodes print: from their pipes to the logs, by the observer, to where people read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job.h"
#include "launch/lines.h"
#include "launch/node_process.h"

namespace trireme::launch {

class Relay {
 public:
  explicit Relay(const JobOptions& options);

  /// Reads what a node has printed by now, unless too much waits to be written.
  void read(NodeProcess& node);
  /// Reads the last that a node has printed, which is gone, and closes its streams and its log.
  void read_the_rest(NodeProcess& node);
  /// Queues a line, with its end, among those of standard output.
  void add_line(std::string_view line) { queue_.add(options_.out, line); }
  /// Queues a sentence that the job itself says on standard error.
  void say(const std::string& sentence);

  [[nodiscard]] OutputQueue& queue() { return queue_; }
  /// Why the lines cannot be written, where that is a failure of the job.
  [[nodiscard]] std::optional<std::string> failure() const;

 private:
  bool read_stream(NodeProcess& node, NodeStream& stream);
  void pass_on(NodeProcess& node, const NodeStream& stream, std::string_view lines);
  void stop_logging(NodeProcess& node);

  const JobOptions& options_;
  OutputQueue queue_;
  std::vector<char> buffer_;  // too large for a small stack
};

}  // namespace trireme::launch
