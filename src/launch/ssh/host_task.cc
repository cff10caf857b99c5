#include "launch/ssh/host_task.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <span>

#include "base/error.h"

namespace trireme::launch::ssh {
namespace {

// The number counts up when the orders change.
constexpr const char* kTask = "task 2";
constexpr const char* kMeet = "meet";
constexpr const char* kSignal = "signal";
constexpr const char* kEnded = "ended";

constexpr std::size_t kFixedFields = 10;
// More than the system takes as the arguments of a program.
constexpr std::size_t kLongestOrder = std::size_t{16} << 20;
constexpr std::size_t kLongestLength = 8;  // digits

using Fields = std::vector<std::string>;

[[noreturn]] void refuse() {
  throw bad_input("the launcher's orders cannot be read", "have the same version of trireme on all hosts");
}

// A netstring, "5:hello,": any bytes may be in it.
std::string field(std::string_view bytes) { return fmt::format("{}:{},", bytes.size(), bytes); }

template <typename Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse();
  return value;
}

// The first field of the bytes, taken off them; nothing when its end has not come.
std::optional<std::string> take_field(std::string_view& bytes) {
  const std::size_t colon = bytes.find(':');
  if (colon == std::string_view::npos) {
    if (bytes.size() > kLongestLength) refuse();
    return std::nullopt;
  }
  if (colon == 0 || colon > kLongestLength) refuse();
  const auto length = number<std::size_t>(bytes.substr(0, colon));
  if (length > kLongestOrder) refuse();
  if (bytes.size() < colon + 1 + length + 1) return std::nullopt;
  if (bytes[colon + 1 + length] != ',') refuse();
  std::string taken(bytes.substr(colon + 1, length));
  bytes.remove_prefix(colon + 1 + length + 1);
  return taken;
}

Fields fields_of(const HostTask& task) {
  Fields fields{kTask,
                fmt::format("{}", task.first_rank),
                fmt::format("{}", task.nodes),
                fmt::format("{}", task.job_size),
                task.timeout ? fmt::format("{}", task.timeout->count()) : "",
                task.secret,
                task.wire,
                task.folder,
                task.meet,
                fmt::format("{}", task.hosts.size())};
  fields.insert(fields.end(), task.hosts.begin(), task.hosts.end());
  fields.insert(fields.end(), task.program.begin(), task.program.end());
  return fields;
}
Fields fields_of(const MeetOrder& order) { return {kMeet, order.address}; }
Fields fields_of(const SignalOrder& order) { return {kSignal, fmt::format("{}", order.signal)}; }
Fields fields_of(const EndedOrder& order) { return {kEnded, fmt::format("{}", order.rank)}; }

HostTask task_of(const Fields& fields) {
  if (fields.size() < kFixedFields) refuse();
  HostTask task;
  task.first_rank = number<Rank>(fields[1]);
  task.nodes = number<Rank>(fields[2]);
  task.job_size = number<Rank>(fields[3]);
  if (!fields[4].empty()) task.timeout = std::chrono::nanoseconds(number<std::int64_t>(fields[4]));
  task.secret = fields[5];
  task.wire = fields[6];
  task.folder = fields[7];
  task.meet = fields[8];
  const auto hosts = number<std::size_t>(fields[9]);
  const std::span<const std::string> lists = std::span(fields).subspan(kFixedFields);
  if (hosts > lists.size()) refuse();
  task.hosts.assign(lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(hosts));
  task.program.assign(lists.begin() + static_cast<std::ptrdiff_t>(hosts), lists.end());
  return task;
}

Order order_of(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    std::optional<std::string> one = take_field(bytes);
    if (!one) refuse();
    fields.push_back(std::move(*one));
  }
  if (!fields.empty() && fields[0] == kTask) return task_of(fields);
  if (fields.size() == 2 && fields[0] == kMeet) return MeetOrder{fields[1]};
  if (fields.size() == 2 && fields[0] == kSignal) return SignalOrder{number<int>(fields[1])};
  if (fields.size() == 2 && fields[0] == kEnded) return EndedOrder{number<Rank>(fields[1])};
  refuse();
}

}  // namespace

std::string encode(const Order& order) {
  std::string fields;
  for (const std::string& one : std::visit([](const auto& kind) { return fields_of(kind); }, order)) {
    fields += field(one);
  }
  return field(fields);
}

OrderWriter::OrderWriter(Fd pipe) : pipe_(std::move(pipe)) { set_nonblocking(pipe_); }

void OrderWriter::write_some() {
  while (!waiting_.empty()) {
    const ssize_t count = write(pipe_.get(), waiting_.data(), waiting_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return waiting_.clear();
    waiting_.erase(0, idx(count));
  }
}

std::vector<Order> OrderReader::take(std::string_view bytes) {
  unread_.append(bytes);
  std::string_view rest = unread_;
  std::vector<Order> orders;
  while (const std::optional<std::string> one = take_field(rest)) orders.push_back(order_of(*one));
  unread_.erase(0, unread_.size() - rest.size());
  return orders;
}

}  // namespace trireme::launch::ssh
