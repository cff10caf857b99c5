#include "launch/relay.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "launch/logs.h"

namespace trireme::launch {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
// More than one pipe can hold. Where somebody writes without end, no more than this is read.
constexpr int kLastReads = 32;
// So the C++ libraries begin the line about an exception that nobody caught.
constexpr std::string_view kWhat = "  what():  ";

void remember_exception(NodeProcess& node, std::string_view lines) {
  const std::size_t begin = lines.rfind(kWhat);
  if (begin == std::string_view::npos) return;
  lines.remove_prefix(begin + kWhat.size());
  node.exception = lines.substr(0, lines.find('\n'));
}

}  // namespace

Relay::Relay(const JobOptions& options) : options_(options), buffer_(kReadAtOnce) {}

void Relay::read(NodeProcess& node) {
  for (NodeStream& stream : node.streams) {
    if (stream.pipe && !queue_.full()) read_stream(node, stream);
  }
}

void Relay::read_the_rest(NodeProcess& node) {
  for (NodeStream& stream : node.streams) {
    for (int i = 0; i < kLastReads && stream.pipe; ++i) {
      if (!read_stream(node, stream)) break;
    }
    pass_on(node, stream, stream.lines.finish());
    stream.pipe.reset();
  }
  node.log.reset();
}

// Returns whether there may be more.
bool Relay::read_stream(NodeProcess& node, NodeStream& stream) {
  const ssize_t count = read_some(stream.pipe.get(), buffer_);
  if (count < 0 && errno == EAGAIN) return false;
  if (count <= 0) {
    pass_on(node, stream, stream.lines.finish());
    stream.pipe.reset();
    return false;
  }
  node.printed = true;
  const std::string_view bytes(buffer_.data(), idx(count));
  pass_on(node, stream, stream.lines.take(bytes));
  if (node.log && !write_all(node.log.get(), bytes)) stop_logging(node);
  return true;
}

void Relay::pass_on(NodeProcess& node, const NodeStream& stream, std::string_view lines) {
  if (stream.which == NodeOutput::kErr) remember_exception(node, lines);
  if (options_.observer == nullptr) return queue_.add(stream.to, lines);
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    std::string line(lines.substr(0, end));
    lines.remove_prefix(end + 1);
    if (options_.observer->line(node.rank, stream.which, line)) queue_.add(stream.to, line + '\n');
  }
}

void Relay::stop_logging(NodeProcess& node) {
  say(fmt::format("cannot write {}: {}; going on without this log: make room there for the next job",
                  printable(log_file(*options_.logs, node.rank).string()), std::strerror(errno)));
  node.log.reset();
}

void Relay::say(const std::string& sentence) {
  queue_.add(options_.err, fmt::format("{}: {}\n", options_.speaker, sentence));
}

// A reader who has left wants no more, and is no reason to end the job; nor is standard error, for nobody
// could be told.
std::optional<std::string> Relay::failure() const {
  const std::optional<int> error = queue_.error_of(options_.out);
  if (!error || *error == EPIPE || options_.out == options_.err) return std::nullopt;
  return fmt::format("cannot write the output: {}", std::strerror(*error));
}

}  // namespace trireme::launch
