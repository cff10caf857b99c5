#include "train/module_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

namespace trireme {
namespace {

// Bytes go in pieces of one size, so that every piece is the same exchange.
constexpr std::size_t kPieceNumbers = std::size_t{64} << 10;

template <typename Items>
std::vector<NamedTensor> unique(const Items& items) {
  std::vector<NamedTensor> found;
  std::set<const void*> seen;
  for (const auto& item : items) {
    if (item.value().defined() && seen.insert(item.value().unsafeGetTensorImpl()).second) {
      found.push_back({item.key(), item.value()});
    }
  }
  return found;
}

// One rank's bytes are summed with zeros: as integers, so that every bit stays as it is.
class Broadcast {
 public:
  Broadcast(WorldAccess::Inside& inside, Rank from) : inside_(inside), from_(from), piece_(kPieceNumbers) {}

  void add(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const std::span<std::byte> part = bytes.first(std::min(bytes.size(), room()));
      if (inside_.wire().rank() == from_) std::memcpy(at(used_), part.data(), part.size());
      parts_.push_back(part);
      used_ += part.size();
      bytes = bytes.subspan(part.size());
      if (room() == 0) flush();
    }
  }
  void flush() {
    if (parts_.empty()) return;
    inside_.sum_over_nodes(std::span(piece_));
    std::size_t from = 0;
    for (const std::span<std::byte> part : parts_) {
      std::memcpy(part.data(), at(from), part.size());
      from += part.size();
    }
    std::fill(piece_.begin(), piece_.end(), 0);
    parts_.clear();
    used_ = 0;
  }

 private:
  [[nodiscard]] std::size_t room() const { return piece_.size() * sizeof(std::int32_t) - used_; }
  [[nodiscard]] std::byte* at(std::size_t byte) { return reinterpret_cast<std::byte*>(piece_.data()) + byte; }

  WorldAccess::Inside& inside_;
  Rank from_;
  std::vector<std::int32_t> piece_;
  std::vector<std::span<std::byte>> parts_;  // that the piece is made of
  std::size_t used_ = 0;
};

template <typename Number>
void average_as(WorldAccess::Inside& inside, const torch::Tensor& tensor, bool takes_part,
                std::int64_t parts) {
  const PlainTensor plain(tensor);
  const std::span<std::byte> bytes = plain.bytes();
  const std::span<Number> numbers(reinterpret_cast<Number*>(bytes.data()), bytes.size() / sizeof(Number));
  if (!takes_part) std::fill(numbers.begin(), numbers.end(), Number{0});
  inside.sum_over_nodes(numbers);
  for (Number& number : numbers) number /= static_cast<Number>(parts);
  plain.give_back();
}

}  // namespace

std::vector<NamedTensor> parameters_of(const torch::nn::Module& module) {
  return unique(module.named_parameters());
}

std::vector<NamedTensor> buffers_of(const torch::nn::Module& module) {
  return unique(module.named_buffers());
}

std::string in_words(const NamedTensor& tensor) {
  return fmt::format("{} [{}] {}", tensor.name, fmt::join(tensor.tensor.sizes(), ", "),
                     c10::toString(tensor.tensor.scalar_type()));
}

PlainTensor::PlainTensor(const torch::Tensor& tensor)
    : tensor_(tensor.detach()), plain_(tensor_.to(torch::kCPU).contiguous()) {}

void PlainTensor::give_back() const {
  if (!plain_.is_alias_of(tensor_)) tensor_.copy_(plain_);
}

void PlainTensor::take_in() const {
  if (!plain_.is_alias_of(tensor_)) plain_.copy_(tensor_);
}

void take_from(Rank rank, WorldAccess::Inside& inside, const std::vector<NamedTensor>& tensors) {
  if (inside.wire().size() == 1) return;
  const torch::NoGradGuard no_grad;
  std::vector<PlainTensor> plain;
  for (const NamedTensor& named : tensors) plain.emplace_back(named.tensor);
  Broadcast broadcast(inside, rank);
  for (const PlainTensor& tensor : plain) broadcast.add(tensor.bytes());
  broadcast.flush();
  for (const PlainTensor& tensor : plain) tensor.give_back();
}

void average_numbers(WorldAccess::Inside& inside, const std::vector<NamedTensor>& tensors, bool takes_part,
                     std::int64_t parts) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& named : tensors) {
    const auto average = [&]<typename Number>(Number) {
      average_as<Number>(inside, named.tensor, takes_part, parts);
    };
    if (named.tensor.scalar_type() == torch::kFloat32) average(0.0F);
    if (named.tensor.scalar_type() == torch::kFloat64) average(0.0);
  }
}

}  // namespace trireme
