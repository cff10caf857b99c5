#include "checkpoint/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "base/types.h"
#include "checkpoint/json.h"

namespace trireme::checkpoint {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr const char* kHint = "get the file again, or give a safetensors file";

std::string number_of_bytes(std::uint64_t bytes) {
  return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
}

// Turns the JSON of a header into tensors; `name` is that of the file.
class HeaderReader {
 public:
  HeaderReader(const std::string& name, std::uint64_t data_bytes) : name_(name), data_bytes_(data_bytes) {}

  SafetensorsHeader read(std::string_view text) {
    if (!text.starts_with('{')) fail("its header does not begin with '{'");
    const Json json = parse_json(text, name_ + ": its header", kHint);
    SafetensorsHeader header;
    for (const auto& [key, value] : json.items()) {
      if (key == kMetadataKey) {
        header.metadata = metadata_of(value);
      } else {
        header.tensors.push_back(tensor_of(key, value));
      }
    }
    std::sort(header.tensors.begin(), header.tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
      return std::pair(a.begin, a.bytes) < std::pair(b.begin, b.bytes);
    });
    require_no_gaps(header.tensors);
    return header;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw bad_input(fmt::format("{}: {}", name_, what), kHint);
  }

 private:
  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    fail(fmt::format("the tensor '{}' {}", printable(tensor), what));
  }

  [[nodiscard]] Metadata metadata_of(const Json& json) const {
    if (!json.is_object()) fail("__metadata__ is no object");
    Metadata metadata;
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) fail(fmt::format("'{}' of __metadata__ is no text", printable(key)));
      metadata[key] = value.get<std::string>();
    }
    return metadata;
  }

  [[nodiscard]] StoredTensor tensor_of(const std::string& key, const Json& json) const {
    if (!json.is_object()) fail(key, "is no object");
    for (const char* part : {"dtype", "shape", "data_offsets"}) {
      if (!json.contains(part)) fail(key, fmt::format("has no {}", part));
    }
    if (json.size() != 3) fail(key, "has more than dtype, shape and data_offsets");
    StoredTensor tensor;
    tensor.info = {key, type_of(key, json["dtype"]), numbers_of(key, "shape", json["shape"])};
    const std::optional<std::uint64_t> bytes = byte_count(tensor.info);
    if (!bytes)
      fail(key, fmt::format("has more bytes than 64 bits can count: {}", shape_in_words(tensor.info.shape)));
    const std::vector<std::uint64_t> offsets = numbers_of(key, "data_offsets", json["data_offsets"]);
    if (offsets.size() != 2) fail(key, fmt::format("has {} data_offsets instead of 2", offsets.size()));
    tensor.begin = offsets[0];
    tensor.bytes = *bytes;
    require_offsets(tensor, offsets[1]);
    return tensor;
  }

  [[nodiscard]] TensorType type_of(const std::string& key, const Json& json) const {
    if (!json.is_string()) fail(key, "has a dtype that is no text");
    const auto name = json.get<std::string>();
    const std::optional<TensorType> type = tensor_type(name);
    if (!type) fail(key, fmt::format("is of the type '{}', which is unknown here", printable(name)));
    return *type;
  }

  [[nodiscard]] std::vector<std::uint64_t> numbers_of(const std::string& key, const char* part,
                                                      const Json& json) const {
    if (!json.is_array()) fail(key, fmt::format("has a {} that is no list", part));
    std::vector<std::uint64_t> numbers;
    for (const Json& number : json) {
      if (!number.is_number_unsigned())
        fail(key, fmt::format("has something in its {} that is no count", part));
      numbers.push_back(number.get<std::uint64_t>());
    }
    return numbers;
  }

  void require_offsets(const StoredTensor& tensor, std::uint64_t end) const {
    const std::string& key = tensor.info.name;
    if (end < tensor.begin) fail(key, fmt::format("ends before it begins: [{}, {}]", tensor.begin, end));
    if (end > data_bytes_) {
      fail(key, fmt::format("ends at byte {}, and the file has {} behind its header", end, data_bytes_));
    }
    if (end - tensor.begin == tensor.bytes) return;
    fail(key, fmt::format("has {} and is {} of {}, which makes {}", number_of_bytes(end - tensor.begin),
                          shape_in_words(tensor.info.shape), name_of(tensor.info.type), tensor.bytes));
  }

  // Sorted by place.
  void require_no_gaps(std::span<const StoredTensor> tensors) const {
    std::uint64_t end = 0;
    const std::string* before = nullptr;
    for (const StoredTensor& tensor : tensors) {
      if (tensor.begin < end) fail(tensor.info.name, fmt::format("overlaps '{}'", printable(*before)));
      if (tensor.begin > end) {
        fail(tensor.info.name, fmt::format("begins at byte {}, behind a gap of {}", tensor.begin,
                                           number_of_bytes(tensor.begin - end)));
      }
      end += tensor.bytes;
      before = &tensor.info.name;
    }
    if (end != data_bytes_) {
      fail(fmt::format("the file has {} behind its header, and its tensors {}", number_of_bytes(data_bytes_),
                       end));
    }
  }

  const std::string& name_;
  std::uint64_t data_bytes_;
};

// The length of the header, as far as it can be believed.
std::uint64_t header_length(std::span<const std::byte> beginning, std::uint64_t file_bytes,
                            const std::string& name) {
  const HeaderReader reader(name, 0);
  ByteReader bytes(beginning);
  const auto length = bytes.get<std::uint64_t>();
  if (!bytes.ok()) {
    reader.fail(
        fmt::format("the file has {}, and a safetensors file begins with 8", number_of_bytes(file_bytes)));
  }
  if (length > kMostHeaderBytes) {
    reader.fail(fmt::format("a header of {} is announced, more than the {} that there may be",
                            number_of_bytes(length), kMostHeaderBytes));
  }
  if (length > file_bytes - kLengthBytes) {
    reader.fail(fmt::format("a header of {} is announced, and only {} follow", number_of_bytes(length),
                            file_bytes - kLengthBytes));
  }
  return length;
}

SafetensorsHeader header_of(const InputFile& file) {
  const std::string name = printable(file.path().string());
  std::vector<std::byte> beginning(std::min(file.size(), kLengthBytes));
  file.read(0, beginning);
  beginning.resize(kLengthBytes + header_length(beginning, file.size(), name));
  file.read(0, beginning);
  return read_safetensors_header(beginning, file.size(), name);
}

std::string in_words(const TensorInfo& info) {
  return fmt::format("{} {}", name_of(info.type), shape_in_words(info.shape));
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::span<const std::byte> beginning, std::uint64_t file_bytes,
                                          const std::string& name) {
  const std::uint64_t length = header_length(beginning, file_bytes, name);
  if (beginning.size() - kLengthBytes < length) {
    HeaderReader(name, 0).fail(fmt::format("the header ends after {}", number_of_bytes(beginning.size())));
  }
  const std::span<const std::byte> text = beginning.subspan(kLengthBytes, length);
  HeaderReader reader(name, file_bytes - kLengthBytes - length);
  SafetensorsHeader header = reader.read({reinterpret_cast<const char*>(text.data()), text.size()});
  header.data_begin = kLengthBytes + length;
  return header;
}

SafetensorsFile::SafetensorsFile(std::filesystem::path file)
    : file_(std::move(file)), header_(header_of(file_)) {
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) by_name_[header_.tensors[i].info.name] = i;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &header_.tensors[at->second];
}

void SafetensorsFile::read(const StoredTensor& tensor, std::uint64_t first, std::span<std::byte> into) const {
  if (first > tensor.bytes || into.size() > tensor.bytes - first) {
    throw bad_input(fmt::format("'{}' has {}", printable(tensor.info.name), number_of_bytes(tensor.bytes)),
                    "read no more than these");
  }
  file_.read(header_.data_begin + tensor.begin + first, into);
}

std::vector<std::byte> SafetensorsFile::read(const StoredTensor& tensor) const {
  std::vector<std::byte> bytes(tensor.bytes);
  read(tensor, 0, bytes);
  return bytes;
}

std::string first_difference(std::span<const TensorInfo> wanted, std::span<const StoredTensor> found) {
  std::map<std::string_view, const TensorInfo*> left;
  for (const StoredTensor& tensor : found) left[tensor.info.name] = &tensor.info;
  for (const TensorInfo& info : wanted) {
    const auto at = left.find(info.name);
    if (at == left.end()) {
      return fmt::format("{} is {} here and not in the checkpoint", printable(info.name), in_words(info));
    }
    if (*at->second != info) {
      return fmt::format("{} is {} here and {} in the checkpoint", printable(info.name), in_words(info),
                         in_words(*at->second));
    }
    left.erase(at);
  }
  for (const StoredTensor& tensor : found) {
    if (!left.contains(tensor.info.name)) continue;
    return fmt::format("{} is {} in the checkpoint and not here", printable(tensor.info.name),
                       in_words(tensor.info));
  }
  return {};
}

}  // namespace trireme::checkpoint
