// Reads the file of a schedule, line by line, and checks that it could have happened.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "schedule/line_members.h"
#include "schedule/schedule.h"

namespace trireme::schedule {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kBackup = "backup:";
constexpr const char* kOrderHint = "list the writes in the order in which they are applied";

bool is_mode(std::string_view text) {
  if (text == "async") return true;
  for (const std::string_view kind : {std::string_view("ssp:"), kBackup}) {
    if (!text.starts_with(kind)) continue;
    const std::string_view number = text.substr(kind.size());
    return !number.empty() && number.size() < 7 && number.front() != '0' &&
           std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(printable(name)) {}

  [[nodiscard]] Schedule read(std::string_view text) {
    bool is_first = true;
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), end_of_line(text) + 1))) {
      ++line_;
      const std::string_view line = text.substr(0, end_of_line(text));
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      LineMembers members(line, where(line_));
      if (!std::exchange(is_first, false) || !take_header(members)) take_write(members);
      members.require_none_left();
    }
    count_nodes();
    require_gradients_once();
    return std::move(schedule_);
  }

 private:
  static std::size_t end_of_line(std::string_view text) { return std::min(text.find('\n'), text.size()); }

  [[nodiscard]] std::string where(std::int64_t line) const {
    return fmt::format("{}, line {}", name_, with_commas(line));
  }

  bool take_header(LineMembers& members) {
    const std::optional<std::int64_t> version = members.take_number("schedule", 0, kMost);
    if (!version) return false;
    if (*version != 1) {
      members.fail(fmt::format("it has version {} of the format, and this program reads 1", *version));
    }
    if (std::optional<std::string> mode = members.take_text("mode")) {
      if (!is_mode(*mode))
        members.fail(fmt::format("there is no mode '{}'", printable(*mode)),
                     "write async, ssp:3 or backup:1");
      schedule_.mode = std::move(*mode);
    }
    has_rounds_ = schedule_.mode.starts_with(kBackup);
    workers_ = members.take_number("workers", 1, kMostNodes);
    servers_ = members.take_number("servers", 1, kMostNodes);
    if (std::optional<std::string> rate = members.take_text("staleness_rate")) {
      if (*rate != "workers" && *rate != "staleness" && *rate != "none") {
        members.fail(fmt::format("'staleness_rate' is '{}'", printable(*rate)),
                     "write workers, staleness or none");
      }
      schedule_.staleness_rate = std::move(*rate);
    }
    return true;
  }

  void take_write(LineMembers& members) {
    Write write;
    write.server = static_cast<std::int32_t>(members.take_number("server", 0, kMostNodes - 1).value_or(0));
    write.worker = static_cast<Rank>(members.need_number("worker", 0, kMostNodes - 1));
    if (workers_ && write.worker >= *workers_) {
      members.fail(fmt::format("there is no worker {}", write.worker), last_in_words(*workers_));
    }
    if (servers_ && write.server >= *servers_) {
      members.fail(fmt::format("there is no server {}", write.server), last_in_words(*servers_));
    }
    const bool counts = write.server == 0;  // the first server hands out mini-batches
    write.gradient = counts ? members.take_number("gradient", 0, kMost).value_or(on_first_)
                            : members.need_number("gradient", 0, kMost);
    on_first_ += counts ? 1 : 0;
    write.read = members.need_number("read", 0, kMost);
    write.dropped = members.take_truth("dropped").value_or(false);
    if (write.dropped && !has_rounds_) {
      members.fail(fmt::format("mode {} drops no gradient", schedule_.mode), "only backup:B does");
    }
    take_version(members, write);
    take_read(members, write);
    schedule_.writes.push_back(write);
    lines_.push_back(line_);
  }

  static std::string last_in_words(std::int64_t count) {
    return fmt::format("the last is {}, as the first line says", count - 1);
  }

  // A version is the next one, or that of the round of which the write before was.
  void take_version(LineMembers& members, Write& write) {
    std::int64_t& last = versions_[write.server];
    write.version = members.take_number("version", 0, kMost).value_or(write.dropped ? last : last + 1);
    const bool is_next = !write.dropped && write.version == last + 1;
    const bool is_same = write.version == last && (write.dropped || (has_rounds_ && last > 0));
    if (!is_next && !is_same) {
      members.fail(
          fmt::format("version {} of server {} comes after version {}", write.version, write.server, last),
          kOrderHint);
    }
    last = write.version;
  }

  void take_read(LineMembers& members, const Write& write) {
    const std::int64_t newest = write.dropped ? write.version : write.version - 1;
    if (write.read > newest) {
      members.fail(fmt::format("it reads version {} of server {}, which is not written yet: the newest is {}",
                               write.read, write.server, newest),
                   kOrderHint);
    }
    std::int64_t& before = reads_[std::int64_t{write.server} * kMostNodes + write.worker];
    if (write.read < before) {
      members.fail(fmt::format("worker {} reads version {} of server {}, and has read {} before",
                               write.worker, write.read, write.server, before),
                   kOrderHint);
    }
    before = write.read;
  }

  // Where the first line does not say them, there are as many as the writes need.
  void count_nodes() {
    if (schedule_.writes.empty() && !workers_) {
      throw bad_input(name_ + ": it has neither writes nor a first line with the number of workers",
                      "give the schedule of a training");
    }
    std::int64_t workers = 1;
    std::int64_t servers = 1;
    for (const Write& write : schedule_.writes) {
      workers = std::max<std::int64_t>(workers, write.worker + 1);
      servers = std::max<std::int64_t>(servers, write.server + 1);
    }
    schedule_.workers = static_cast<std::int32_t>(workers_.value_or(workers));
    schedule_.servers = static_cast<std::int32_t>(servers_.value_or(servers));
  }

  // A gradient is of one worker, and comes to each server once.
  void require_gradients_once() const {
    const std::vector<Write>& writes = schedule_.writes;
    std::vector<std::size_t> order(writes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(writes[a].gradient, writes[a].server, a) <
             std::tuple(writes[b].gradient, writes[b].server, b);
    });
    for (std::size_t k = 1; k < order.size(); ++k) {
      const auto [earlier, later] = std::minmax(order[k - 1], order[k]);
      const Write& one = writes[earlier];
      const Write& other = writes[later];
      if (one.gradient != other.gradient || (one.worker == other.worker && one.server != other.server)) {
        continue;
      }
      throw bad_input(fmt::format("{}: gradient {} is of worker {} and server {}, as in line {} of worker {} "
                                  "and server {}",
                                  where(lines_[later]), other.gradient, other.worker, other.server,
                                  with_commas(lines_[earlier]), one.worker, one.server),
                      "give each gradient one worker, and one line for each server");
    }
  }

  const std::string name_;
  Schedule schedule_;
  std::vector<std::int64_t> lines_;      // of the writes
  std::int64_t line_ = 0;                // that is being read
  std::optional<std::int64_t> workers_;  // as the first line says
  std::optional<std::int64_t> servers_;
  bool has_rounds_ = false;
  std::int64_t on_first_ = 0;                                // writes of server 0 so far
  std::unordered_map<std::int32_t, std::int64_t> versions_;  // by server
  std::unordered_map<std::int64_t, std::int64_t> reads_;     // by server and worker: the last
};

}  // namespace

Schedule read_schedule(std::string_view text, const std::string& name) { return Reader(name).read(text); }

}  // namespace trireme::schedule
