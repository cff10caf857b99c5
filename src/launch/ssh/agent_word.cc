#include "launch/ssh/agent_word.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "launch/lines.h"

namespace trireme::launch::ssh {
namespace {

constexpr std::string_view kMark = "trireme-agent|";
constexpr char kBar = '|';

std::string text_of(const AgentReady& word) { return fmt::format("ready|{}", word.address); }

std::string text_of(const NodeEnded& word) {
  return fmt::format("end|{}|{}|{}|{}|{}|{}|{}", word.rank, word.end.process,
                     word.end.how == RankEnd::How::kExited ? "exited" : "killed", word.end.code,
                     word.end.stopped     ? "stopped"
                     : word.end.by_itself ? "by itself"
                                          : "told to",
                     word.culprit ? std::to_string(*word.culprit) : "", printable(word.why));
}

// A bar in the first text would begin the second.
std::string text_of(const AgentRefuses& word) {
  std::string what = printable(word.what);
  for (char& c : what) c = c == kBar ? '/' : c;
  return fmt::format("refuses|{}|{}", what, printable(word.hint));
}

template <typename Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// The rest of the line may have bars of its own.
std::string_view after_bars(std::string_view line, int bars) {
  for (; bars > 0; --bars) line.remove_prefix(line.find(kBar) + 1);
  return line;
}

std::optional<AgentWord> end_of(std::string_view line, const std::vector<std::string_view>& parts) {
  NodeEnded word;
  if (parts.size() < 8 || !read_number(parts[1], word.rank) || !read_number(parts[2], word.end.process) ||
      !read_number(parts[4], word.end.code)) {
    return std::nullopt;
  }
  if (Rank culprit = 0; read_number(parts[6], culprit)) word.culprit = culprit;
  word.why = after_bars(line, 7);
  word.end.how = parts[3] == "exited" ? RankEnd::How::kExited : RankEnd::How::kKilled;
  word.end.by_itself = parts[5] == "by itself";
  word.end.stopped = parts[5] == "stopped";
  return word;
}

}  // namespace

std::string encode(const AgentWord& word) {
  return fmt::format("{}{}\n", kMark, std::visit([](const auto& kind) { return text_of(kind); }, word));
}

std::optional<AgentWord> decode_agent_word(std::string_view line) {
  if (!line.starts_with(kMark)) return std::nullopt;
  line.remove_prefix(kMark.size());
  const std::vector<std::string_view> parts = split(line, kBar);
  if (parts[0] == "ready" && parts.size() == 2) return AgentReady{std::string(parts[1])};
  if (parts[0] == "end") return end_of(line, parts);
  if (parts[0] != "refuses" || parts.size() < 3) return std::nullopt;
  return AgentRefuses{std::string(parts[1]), std::string(after_bars(line, 2))};
}

std::optional<NodeLine> decode_node_line(std::string_view line, Rank job_size) {
  const std::size_t length = rank_prefix(0, job_size).size();
  if (line.size() < length || line[0] != '[' || line.substr(length - 2, 2) != "] ") return std::nullopt;
  const std::string_view padded = line.substr(1, length - 3);
  const std::size_t spaces = padded.find_first_not_of(' ');
  NodeLine read_line{0, line.substr(length)};
  if (spaces == std::string_view::npos || !read_number(padded.substr(spaces), read_line.rank))
    return std::nullopt;
  if (read_line.rank < 0 || read_line.rank >= job_size) return std::nullopt;
  return read_line;
}

}  // namespace trireme::launch::ssh
