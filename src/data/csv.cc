#include "data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::data {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char sign) { return sign == ' ' || sign == '\t'; }

std::string_view without_spaces(std::string_view cell) {
  while (!cell.empty() && is_space(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_space(cell.back())) cell.remove_suffix(1);
  return cell;
}

}  // namespace

CsvReader::CsvReader(ByteSource source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

void CsvReader::refuse(const std::string& what, const std::string& hint) const {
  throw bad_input(fmt::format("{}: line {}{}", name_, with_commas(line_), what), hint);
}

bool CsvReader::next(std::vector<std::string_view>& cells) {
  if (!started_) skip_byte_order_mark();
  for (;;) {
    line_ = lines_read_ + 1;
    const std::size_t end = end_of_row();
    if (end == begin_ && begin_ == end_) return false;
    std::span<char> row(text_.data() + begin_, end - begin_);
    begin_ = std::min(end + 1, end_);
    if (!row.empty() && row.back() == '\r') row = row.first(row.size() - 1);
    if (row.empty()) continue;
    split(row, cells);
    return true;
  }
}

// The rest moves to the front; false if there is nothing more.
bool CsvReader::refill() {
  if (at_end_) return false;
  std::copy(text_.begin() + static_cast<std::ptrdiff_t>(begin_),
            text_.begin() + static_cast<std::ptrdiff_t>(end_), text_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ > kMostRowBytes) {
    refuse(fmt::format(": a row is longer than {}", bytes_in_words(static_cast<std::int64_t>(kMostRowBytes))),
           "check that it is a csv file and that each quote is closed");
  }
  if (text_.size() < 2 * end_ + kFirstBlock) text_.resize(2 * end_ + kFirstBlock);
  const std::span<char> room = std::span(text_).subspan(end_);
  const std::size_t found = source_({reinterpret_cast<std::uint8_t*>(room.data()), room.size()});
  at_end_ = found < room.size();
  end_ += found;
  return found > 0;
}

void CsvReader::skip_byte_order_mark() {
  started_ = true;
  line_ = 1;
  (void)refill();
  const std::string_view text(text_.data(), end_);
  if (text.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    refuse(": the text is UTF-16", "save it as UTF-8");
  if (text.starts_with("\x1F\x8B"))
    refuse(": the file is compressed by gzip, but its name does not say so", "rename it to " + name_ + ".gz");
}

// Where the line break lies that no quotes surround, or the end of the file.
std::size_t CsvReader::end_of_row() {
  std::size_t looked = 0;  // bytes behind `begin_`
  bool quoted = false;
  for (;;) {
    const char* const from = text_.data() + begin_ + looked;
    const std::size_t left = end_ - begin_ - looked;
    const auto* const line_break =
        left > 0 ? static_cast<const char*>(std::memchr(from, '\n', left)) : nullptr;
    const std::size_t size = line_break != nullptr ? static_cast<std::size_t>(line_break - from) : left;
    if (size > 0 && std::memchr(from, '"', size) != nullptr && std::count(from, from + size, '"') % 2 == 1)
      quoted = !quoted;
    looked += size;
    if (line_break != nullptr) {
      ++lines_read_;
      if (!quoted) return begin_ + looked;
      ++looked;
    } else if (!refill()) {
      if (quoted) refuse(": a quote is opened and never closed", "close it, or write a quote as two, \"\"");
      return end_;
    }
  }
}

void CsvReader::split(std::span<char> row, std::vector<std::string_view>& cells) const {
  cells.clear();
  const std::string_view text(row.data(), row.size());
  if (std::memchr(row.data(), '\0', row.size()) != nullptr)
    refuse(" holds a zero byte, which no text has", "check that it is a csv file");
  for (std::size_t at = 0;;) {
    if (cells.size() == kMostCells) {
      refuse(fmt::format(" has more than {} cells", with_commas(static_cast<std::int64_t>(kMostCells))),
             "check that it is a csv file");
    }
    std::size_t first = at;
    while (first < text.size() && is_space(text[first])) ++first;
    if (first < text.size() && text[first] == '"') {
      at = first;
      cells.push_back(unquoted(row, at));
    } else {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const std::string_view cell = text.substr(at, comma - at);
      if (cell.find('"') != std::string_view::npos) {
        refuse(fmt::format(", column {}: a quote within a cell", cells.size() + 1),
               "put the whole cell between quotes, and write a quote in it as two, \"\"");
      }
      cells.push_back(without_spaces(cell));
      at = comma;
    }
    if (at == text.size()) return;
    ++at;  // the comma
  }
}

// The cell whose quote is at this place, with "" turned into " where it lies; then the place is behind it.
std::string_view CsvReader::unquoted(std::span<char> row, std::size_t& at) const {
  const std::size_t first = ++at;
  std::size_t last = first;
  for (; at < row.size(); ++at) {
    if (row[at] == '"') {
      if (at + 1 == row.size() || row[at + 1] != '"') break;
      ++at;
    }
    row[last++] = row[at];
  }
  ++at;
  while (at < row.size() && is_space(row[at])) ++at;
  if (at < row.size() && row[at] != ',') {
    refuse(": a cell goes on behind its closing quote", "write a quote within a cell as two, \"\"");
  }
  at = std::min(at, row.size());
  return {row.data() + first, last - first};
}

}  // namespace trireme::data
