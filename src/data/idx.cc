#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "data/gzip.h"

namespace trireme::data {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kDimensionBytes = 4;
constexpr std::uint8_t kUnsignedBytes = 0x08;
constexpr int kMostDimensions = 4;
constexpr const char* kGetAgain = "get the file again";

class IdxReader {
 public:
  IdxReader(const ByteSource& source, const std::string& name) : source_(source), name_(name) {}

  IdxArray read() {
    read_header();
    read_elements(checked_product());
    check_end();
    return std::move(array_);
  }

  // Returns the number of bytes that the header announces, including its own.
  std::int64_t read_header() {
    const int count = read_magic();
    for (int i = 0; i < count; ++i) read_dimension(i, count);
    return header_bytes(count) + checked_product();
  }

  // The part that has been read so far.
  [[nodiscard]] const IdxArray& array() const { return array_; }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw bad_input(fmt::format("{}: {}", name_, what), hint);
  }

  // Returns the number of dimensions.
  int read_magic() {
    std::array<std::uint8_t, kMagicBytes> magic{};
    const std::size_t count = source_(magic);
    if (count < magic.size()) {
      fail(fmt::format("the file holds {}, an idx file begins with 4",
                       counted(static_cast<std::int64_t>(count), "byte")),
           kGetAgain);
    }
    if (magic[0] == 0x1f && magic[1] == 0x8b) {
      fail("the file is compressed by gzip, but its name does not say so", "rename it to " + name_ + ".gz");
    }
    if (magic[0] != 0 || magic[1] != 0) {
      fail(fmt::format("the file begins with {:02x} {:02x} {:02x} {:02x}, an idx file of unsigned bytes with "
                       "00 00 08",
                       magic[0], magic[1], magic[2], magic[3]),
           "give the path of an idx file");
    }
    if (magic[2] != kUnsignedBytes) {
      fail(fmt::format("the elements are of type 0x{:02x}, only unsigned bytes (0x08) can be read", magic[2]),
           "convert them to unsigned bytes");
    }
    if (magic[3] == 0 || magic[3] > kMostDimensions) {
      fail(fmt::format("the array has {}, 1 to {} can be read", counted(magic[3], "dimension"),
                       kMostDimensions),
           "give the path of a file of images or labels");
    }
    return magic[3];
  }

  void read_dimension(int i, int count) {
    std::array<std::uint8_t, kDimensionBytes> bytes{};
    const std::size_t found = source_(bytes);
    if (found < bytes.size()) {
      fail(fmt::format("the file ends after {}, the header alone has {} with {}",
                       counted(header_bytes(i) + static_cast<std::int64_t>(found), "byte"),
                       header_bytes(count), counted(count, "dimension")),
           kGetAgain);
    }
    std::int64_t dimension = 0;
    for (const std::uint8_t byte : bytes) dimension = dimension << 8 | byte;
    array_.dimensions.push_back(dimension);
  }

  static std::int64_t header_bytes(std::int64_t dimensions) {
    return static_cast<std::int64_t>(kMagicBytes) + dimensions * static_cast<std::int64_t>(kDimensionBytes);
  }

  [[nodiscard]] std::int64_t checked_product() const {
    std::int64_t product = 1;
    const std::string announced = "the header announces " + dimensions_in_words(array_.dimensions);
    for (const std::int64_t dimension : array_.dimensions) {
      if (dimension == 0) fail(announced + " elements, which are none", "give a file that holds something");
    }
    for (const std::int64_t dimension : array_.dimensions) {
      if (product > kMostIdxElements / dimension) {
        fail(fmt::format("{} elements, more than the {} that can be read", announced,
                         with_commas(kMostIdxElements)),
             "get the file again, or cut it into smaller ones");
      }
      product *= dimension;
    }
    return product;
  }

  // Allocates memory only as bytes arrive, because a header may announce any size.
  void read_elements(std::int64_t count) {
    constexpr std::size_t kFirstBlock = std::size_t{1} << 16;
    std::vector<std::uint8_t>& elements = array_.elements;
    while (elements.size() < idx(count)) {
      const std::size_t before = elements.size();
      const std::size_t asked = std::min(idx(count) - before, std::max(kFirstBlock, before));
      elements.resize(before + asked);
      const std::size_t found = source_(std::span(elements).subspan(before));
      if (found < asked) fail_short(static_cast<std::int64_t>(before + found));
    }
  }

  [[nodiscard]] std::string announced_size() const {
    const std::int64_t bytes = header_bytes(std::ssize(array_.dimensions)) + checked_product();
    return fmt::format("the header announces {} elements, which makes {}",
                       dimensions_in_words(array_.dimensions), counted(bytes, "byte"));
  }

  [[noreturn]] void fail_short(std::int64_t elements) const {
    const std::int64_t found = header_bytes(std::ssize(array_.dimensions)) + elements;
    fail(fmt::format("the file ends after {}, {}", counted(found, "byte"), announced_size()), kGetAgain);
  }

  void check_end() const {
    std::vector<std::uint8_t> block(std::size_t{1} << 16);
    std::int64_t extra = 0;
    for (std::size_t found = block.size(); found == block.size();) {
      found = source_(block);
      extra += static_cast<std::int64_t>(found);
    }
    if (extra == 0) return;
    const std::int64_t found =
        header_bytes(std::ssize(array_.dimensions)) + std::ssize(array_.elements) + extra;
    fail(fmt::format("the file holds {}, {}", counted(found, "byte"), announced_size()), kGetAgain);
  }

  const ByteSource& source_;
  const std::string& name_;
  IdxArray array_;
};

ByteSource bytes_of_idx(const std::string& path) {
  ByteSource source = bytes_of_file(path);
  return is_gzip_name(path) ? gunzipped(std::move(source), path) : source;
}

// A gzip file ends with its uncompressed size, modulo 2^32, lowest byte first.
std::uint32_t length_in_gzip(const std::string& path) {
  std::array<char, 4> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.seekg(-std::ssize(bytes), std::ios::end);
  file.read(bytes.data(), std::ssize(bytes));
  std::uint32_t length = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) length = length << 8 | static_cast<std::uint8_t>(bytes[i]);
  return length;
}

bool has_length(const std::string& path, std::int64_t bytes) {
  if (is_gzip_name(path)) return length_in_gzip(path) == static_cast<std::uint32_t>(bytes);
  std::error_code unknown;
  return std::filesystem::file_size(path, unknown) == static_cast<std::uintmax_t>(bytes);
}

}  // namespace

IdxArray read_idx(const std::string& path) { return read_idx(bytes_of_idx(path), path); }

IdxArray look_at_idx(const std::string& path) {
  const ByteSource source = bytes_of_idx(path);
  IdxReader reader(source, path);
  if (!has_length(path, reader.read_header())) return read_idx(path);
  return reader.array();
}

IdxArray read_idx(const ByteSource& source, const std::string& name) {
  return IdxReader(source, name).read();
}

std::string dimensions_in_words(std::span<const std::int64_t> dimensions) {
  std::string words;
  for (const std::int64_t dimension : dimensions) {
    if (!words.empty()) words += " × ";
    words += with_commas(dimension);
  }
  return words;
}

}  // namespace trireme::data
