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
// Not timed, not counted: any strategy that runs on every wire will do, and need not be announced.
constexpr const char* kStrategy = "direct";

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

// The tensor's own memory where it is plain; else a copy, from which it is refilled at the end.
class PlainTensor {
 public:
  explicit PlainTensor(const torch::Tensor& tensor)
      : tensor_(tensor), plain_(tensor.detach().to(torch::kCPU).contiguous()) {}
  void finish() const {
    if (!plain_.is_alias_of(tensor_)) tensor_.detach().copy_(plain_);
  }
  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(plain_.data_ptr()), plain_.nbytes()};
  }

 private:
  torch::Tensor tensor_;
  torch::Tensor plain_;
};

// Rank 0's bytes are summed with zeros: as integers, so that every bit stays as it is.
class Broadcast {
 public:
  explicit Broadcast(World& world) : world_(world), piece_(kPieceNumbers) {}

  void add(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const std::span<std::byte> part = bytes.first(std::min(bytes.size(), room()));
      if (world_.rank() == 0) std::memcpy(at(used_), part.data(), part.size());
      parts_.push_back(part);
      used_ += part.size();
      bytes = bytes.subspan(part.size());
      if (room() == 0) flush();
    }
  }
  void flush() {
    if (parts_.empty()) return;
    world_.sum(piece_, kStrategy);
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

  World& world_;
  std::vector<std::int32_t> piece_;
  std::vector<std::span<std::byte>> parts_;  // that the piece is made of
  std::size_t used_ = 0;
};

template <typename Number>
void average_as(World& world, const torch::Tensor& tensor) {
  const PlainTensor plain(tensor);
  const std::span<std::byte> bytes = plain.bytes();
  world.average(std::span(reinterpret_cast<Number*>(bytes.data()), bytes.size() / sizeof(Number)), kStrategy);
  plain.finish();
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

void take_from_rank_0(World& world, const std::vector<NamedTensor>& tensors) {
  if (world.size() == 1) return;
  const torch::NoGradGuard no_grad;
  std::vector<PlainTensor> plain;
  for (const NamedTensor& named : tensors) plain.emplace_back(named.tensor);
  Broadcast broadcast(world);
  for (const PlainTensor& tensor : plain) broadcast.add(tensor.bytes());
  broadcast.flush();
  for (const PlainTensor& tensor : plain) tensor.finish();
}

void average_numbers(World& world, const std::vector<NamedTensor>& tensors) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& named : tensors) {
    if (named.tensor.scalar_type() == torch::kFloat32) average_as<float>(world, named.tensor);
    if (named.tensor.scalar_type() == torch::kFloat64) average_as<double>(world, named.tensor);
  }
}

}  // namespace trireme
