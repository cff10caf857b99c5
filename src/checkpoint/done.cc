#include "checkpoint/done.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/names.h"

namespace trireme::checkpoint {
namespace {

constexpr std::string_view kFirstLine = "trireme checkpoint 1\n";
constexpr std::size_t kSumDigits = 8;

std::string sum_line(std::string_view before) {
  return fmt::format("{:08x} {}\n", crc32_of(std::as_bytes(std::span(before))), kDoneFile);
}

template <typename Number>
std::optional<Number> whole_number(std::string_view digits, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// A line without its end. That it is written in exactly this way is found out by writing it again.
std::optional<FileSum> file_of(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (first != kSumDigits || second == std::string_view::npos) return std::nullopt;
  const auto crc32 = whole_number<std::uint32_t>(line.substr(0, first), 16);
  const auto bytes = whole_number<std::uint64_t>(line.substr(first + 1, second - first - 1), 10);
  const std::string_view name = line.substr(second + 1);
  if (!crc32 || !bytes || !is_file_name(name)) return std::nullopt;
  return FileSum{std::string(name), *bytes, *crc32};
}

}  // namespace

std::string to_text(std::vector<FileSum> files) {
  std::sort(files.begin(), files.end(), [](const FileSum& a, const FileSum& b) { return a.name < b.name; });
  std::string text(kFirstLine);
  const std::string* before = nullptr;
  for (const FileSum& file : files) {
    if (!is_file_name(file.name) || (before != nullptr && *before == file.name)) {
      throw bad_input(fmt::format("a checkpoint cannot have a file '{}', or not twice", printable(file.name)),
                      "take another name");
    }
    text += fmt::format("{:08x} {} {}\n", file.crc32, file.bytes, file.name);
    before = &file.name;
  }
  return text + sum_line(text);
}

std::vector<FileSum> read_done(std::string_view text, const std::string& name) {
  const auto refuse = [&](const std::string& what) {
    throw bad_input(fmt::format("{} {}", name, what), "take another checkpoint");
  };
  if (!text.starts_with(kFirstLine)) {
    refuse(fmt::format("does not begin with '{}'", trimmed(kFirstLine.substr(0, kFirstLine.size() - 1))));
  }
  const std::size_t last = text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;
  if (last < kFirstLine.size() || text.substr(last) != sum_line(text.substr(0, last))) {
    refuse("is cut off or damaged: it does not end with the sum of its lines");
  }
  std::vector<FileSum> files;
  std::string_view lines = text.substr(kFirstLine.size(), last - kFirstLine.size());
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::optional<FileSum> file = file_of(line);
    if (!file) refuse(fmt::format("has a line that lists no file: '{}'", printable(line)));
    files.push_back(*file);
    lines.remove_prefix(line.size() + 1);
  }
  const bool repeats = std::adjacent_find(files.begin(), files.end(), [](const FileSum& a, const FileSum& b) {
                         return a.name >= b.name;
                       }) != files.end();
  if (repeats || to_text(files) != text)
    refuse("has lines in another order or form than they are written in");
  return files;
}

}  // namespace trireme::checkpoint
