#include "checkpoint/safetensors_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "checkpoint/json.h"

namespace trireme::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

constexpr std::size_t kAlignment = 8;

void require_right(const TensorView& tensor, std::set<std::string_view>& names) {
  const TensorInfo& info = tensor.info;
  if (info.name == kMetadataKey || !names.insert(info.name).second) {
    throw bad_input(fmt::format("two tensors have the name '{}'", printable(info.name)),
                    "give each a name of its own");
  }
  if (byte_count(info) == tensor.bytes.size()) return;
  throw bad_input(
      fmt::format("the tensor '{}' has {} and is said to be {} of {}", printable(info.name),
                  counted(std::ssize(tensor.bytes), "byte"), shape_in_words(info.shape), name_of(info.type)),
      "give as many bytes as its shape has");
}

// Pointers, because the bytes of the header come before those of the tensors.
std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  std::set<std::string_view> names{kMetadataKey};
  for (const TensorView& tensor : tensors) {
    require_right(tensor, names);
    order.push_back(&tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return size_of(a->info.type) > size_of(b->info.type);
  });
  return order;
}

std::string header_of(std::span<const TensorView* const> tensors, const Metadata& metadata) {
  std::vector<std::string> entries;
  if (!metadata.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : metadata) pairs.push_back(quoted(key) + ":" + quoted(value));
    entries.push_back(fmt::format("\"{}\":{{{}}}", kMetadataKey, fmt::join(pairs, ",")));
  }
  std::uint64_t begin = 0;
  for (const TensorView* tensor : tensors) {
    const std::uint64_t end = begin + tensor->bytes.size();
    entries.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                  quoted(tensor->info.name), name_of(tensor->info.type),
                                  fmt::join(tensor->info.shape, ","), begin, end));
    begin = end;
  }
  std::string header = fmt::format("{{{}}}", fmt::join(entries, ","));
  header.append((kAlignment - header.size() % kAlignment) % kAlignment, ' ');
  return header;
}

}  // namespace

void stream_safetensors(std::span<const TensorView> tensors, const Metadata& metadata, const ByteSink& sink) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  const std::string header = header_of(order, metadata);
  ByteWriter beginning;
  beginning.put(std::uint64_t{header.size()});
  beginning.put(std::as_bytes(std::span(header)));
  sink(beginning.bytes());
  for (const TensorView* tensor : order) {
    if (!tensor->bytes.empty()) sink(tensor->bytes);
  }
}

FileSum write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                          const Metadata& metadata) {
  SummedFile out(file);
  stream_safetensors(tensors, metadata, [&](std::span<const std::byte> bytes) { out.write(bytes); });
  return out.finish();
}

}  // namespace trireme::checkpoint
