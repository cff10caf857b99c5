#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"
#include "data/gzip.h"

namespace trireme::data {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kDimensionBytes = 4;
constexpr int kMostDimensions = 4;
constexpr const char* kGetAgain = "get the file again";

std::optional<NumberType> type_of(std::uint8_t code) {
  switch (code) {
    case 0x08:
      return NumberType::kUint8;
    case 0x09:
      return NumberType::kInt8;
    case 0x0b:
      return NumberType::kInt16;
    case 0x0c:
      return NumberType::kInt32;
    case 0x0d:
      return NumberType::kFloat32;
    case 0x0e:
      return NumberType::kFloat64;
    default:
      return {};
  }
}

class IdxReader {
 public:
  IdxReader(const ByteSource& source, const std::string& name) : source_(source), name_(name) {}

  NumberArray read() {
    const std::int64_t whole = read_header();
    std::vector<std::uint8_t> bytes = read_bytes(idx(whole - bytes_of_header()));
    require_length(whole + rest());
    return {dimensions_, Numbers(type_, std::endian::big, std::move(bytes))};
  }

  // Returns the number of bytes that the header announces, including its own.
  std::int64_t read_header() {
    const int count = read_magic();
    for (int i = 0; i < count; ++i) read_dimension(i, count);
    return announced_bytes();
  }

  // Throws unless the file has the length that its header announces.
  void require_length(std::int64_t bytes) const {
    if (bytes == announced_bytes()) return;
    fail(fmt::format("the file {} {}, {}", bytes < announced_bytes() ? "ends after" : "holds",
                     counted(bytes, "byte"), announced_size()),
         kGetAgain);
  }

  [[nodiscard]] const std::vector<std::int64_t>& dimensions() const { return dimensions_; }
  [[nodiscard]] NumberType type() const { return type_; }
  [[nodiscard]] std::int64_t bytes_of_header() const { return header_bytes(std::ssize(dimensions_)); }

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
      fail(fmt::format("the file begins with {:02x} {:02x} {:02x} {:02x}, an idx file with 00 00", magic[0],
                       magic[1], magic[2], magic[3]),
           "give the path of an idx file");
    }
    const std::optional<NumberType> type = type_of(magic[2]);
    if (!type) {
      fail(fmt::format("the elements are of type 0x{:02x}, which idx files do not have", magic[2]),
           "write them as one of the types 0x08, 0x09 and 0x0b to 0x0e");
    }
    type_ = *type;
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
    dimensions_.push_back(dimension);
  }

  static std::int64_t header_bytes(std::int64_t dimensions) {
    return static_cast<std::int64_t>(kMagicBytes) + dimensions * static_cast<std::int64_t>(kDimensionBytes);
  }

  [[nodiscard]] std::int64_t checked_product() const {
    std::int64_t product = 1;
    const std::string announced = "the header announces " + dimensions_in_words(dimensions_);
    for (const std::int64_t dimension : dimensions_) {
      if (dimension == 0) fail(announced + " elements, which are none", "give a file that holds something");
    }
    for (const std::int64_t dimension : dimensions_) {
      if (product > kMostElements / dimension) {
        fail(fmt::format("{} elements, more than the {} that can be read", announced,
                         with_commas(kMostElements)),
             "get the file again, or cut it into smaller ones");
      }
      product *= dimension;
    }
    return product;
  }

  // Allocates memory only as bytes arrive, because a header may announce any size.
  std::vector<std::uint8_t> read_bytes(std::size_t count) {
    constexpr std::size_t kFirstBlock = std::size_t{1} << 16;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < count) {
      const std::size_t before = bytes.size();
      const std::size_t asked = std::min(count - before, std::max(kFirstBlock, before));
      bytes.resize(before + asked);
      const std::size_t found = source_(std::span(bytes).subspan(before));
      if (found < asked) require_length(bytes_of_header() + static_cast<std::int64_t>(before + found));
    }
    return bytes;
  }

  // How many bytes are left.
  [[nodiscard]] std::int64_t rest() const {
    std::vector<std::uint8_t> block(std::size_t{1} << 16);
    std::int64_t rest = 0;
    for (std::size_t found = block.size(); found == block.size();) {
      found = source_(block);
      rest += static_cast<std::int64_t>(found);
    }
    return rest;
  }

  [[nodiscard]] std::int64_t announced_bytes() const {
    return bytes_of_header() + checked_product() * static_cast<std::int64_t>(size_of(type_));
  }

  [[nodiscard]] std::string announced_size() const {
    return fmt::format("the header announces {} elements, which makes {}", dimensions_in_words(dimensions_),
                       counted(announced_bytes(), "byte"));
  }

  const ByteSource& source_;
  const std::string& name_;
  NumberType type_ = NumberType::kUint8;
  std::vector<std::int64_t> dimensions_;
};

ByteSource bytes_of_gzip(const std::string& path) { return gunzipped(bytes_of_file(path), path); }

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

NumberArray map_idx(const std::string& path) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const ByteSource source = bytes_of_memory(file->bytes());
  IdxReader reader(source, path);
  reader.read_header();
  reader.require_length(std::ssize(file->bytes()));
  const std::size_t first = idx(reader.bytes_of_header());
  const auto count = static_cast<std::int64_t>((file->bytes().size() - first) / size_of(reader.type()));
  return {reader.dimensions(), Numbers(reader.type(), std::endian::big, std::move(file), first, count)};
}

}  // namespace

NumberArray read_idx(const std::string& path) {
  return is_gzip_name(path) ? read_idx(bytes_of_gzip(path), path) : map_idx(path);
}

NumberArray look_at_idx(const std::string& path) {
  if (!is_gzip_name(path)) return {map_idx(path).dimensions, {}};
  const ByteSource source = bytes_of_gzip(path);
  IdxReader reader(source, path);
  if (length_in_gzip(path) != static_cast<std::uint32_t>(reader.read_header())) return read_idx(path);
  return {reader.dimensions(), {}};
}

NumberArray read_idx(const ByteSource& source, const std::string& name) {
  return IdxReader(source, name).read();
}

}  // namespace trireme::data
