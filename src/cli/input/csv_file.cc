#include "cli/input/csv_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trireme::cli {

std::string read_csv(const std::string& path, const char* flag, std::size_t most) {
  std::error_code unknown;  // opening the file will report the reason
  if (std::filesystem::is_directory(path, unknown)) {
    throw bad_input(fmt::format("{}: {} is a folder", flag, path), "give the path of a CSV file");
  }
  const auto refuse = [&](int error) {
    throw bad_input(fmt::format("{}: cannot read {}: {}", flag, path, std::strerror(error)),
                    "give the path of a CSV file");
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(errno);
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (file) {
    errno = 0;
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (file.bad()) refuse(errno != 0 ? errno : EIO);
    text.append(block.data(), idx(file.gcount()));
    if (text.size() > most) {
      throw bad_input(fmt::format("{}: {} is larger than {} MiB", flag, path,
                                  with_commas(static_cast<std::int64_t>(most >> 20))),
                      "give a smaller file");
    }
  }
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(line.size());
  text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
  return line;
}

}  // namespace trireme::cli
