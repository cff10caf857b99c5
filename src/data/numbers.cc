#include "data/numbers.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/types.h"

namespace trireme::data {

std::size_t size_of(NumberType type) {
  std::size_t size = 0;
  with_type(type, [&](auto number) { size = sizeof number; });
  return size;
}

bool is_real(NumberType type) { return type == NumberType::kFloat32 || type == NumberType::kFloat64; }

Numbers::Numbers(const std::vector<std::uint8_t>& bytes)
    : Numbers(NumberType::kUint8, std::endian::native, bytes) {}

Numbers::Numbers(NumberType type, std::endian order, std::vector<std::uint8_t> bytes)
    : type_(type),
      order_(size_of(type) == 1 ? std::endian::native : order),
      memory_(std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes))),
      bytes_(*memory_) {}

Numbers::Numbers(NumberType type, std::endian order, std::shared_ptr<const MappedFile> file,
                 std::size_t first_byte, std::int64_t count)
    : type_(type),
      order_(size_of(type) == 1 ? std::endian::native : order),
      file_(std::move(file)),
      bytes_(file_->bytes().subspan(first_byte, idx(count) * size_of(type))) {}

std::int64_t Numbers::size() const { return static_cast<std::int64_t>(bytes_.size() / size_of(type_)); }

void Numbers::read(std::int64_t first, std::span<double> out) const {
  with_type(type_, [&](auto example) {
    using Number = decltype(example);
    const bool swapped = order_ != std::endian::native;
    const std::uint8_t* from = bytes_.data() + idx(first) * sizeof(Number);
    for (double& number : out) {
      number = static_cast<double>(load_number<Number>(from, swapped));
      from += sizeof(Number);
    }
  });
}

bool operator==(const Numbers& one, const Numbers& other) {
  return one.type_ == other.type_ && one.order_ == other.order_ &&
         std::ranges::equal(one.bytes_, other.bytes_);
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
