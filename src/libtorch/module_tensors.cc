#include "libtorch/module_tensors.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

namespace trireme::libtorch {
namespace {

using Buffers = ExchangeOptions::Buffers;

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
  const PlainTensor plain(tensor, c10::CppTypeToScalarType<Number>::value);
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

std::vector<std::string> names_of(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  return names;
}

// If the tensor gets other memory later, this is a copy from then on.
PlainTensor::PlainTensor(const torch::Tensor& tensor, torch::ScalarType type)
    : tensor_(tensor), plain_(tensor.detach().to(torch::kCPU, type).resolve_neg().contiguous()) {}

void PlainTensor::give_back() const {
  if (!plain_.is_alias_of(tensor_)) tensor_.copy_(plain_);
}

void PlainTensor::take_in() const {
  if (!plain_.is_alias_of(tensor_)) plain_.copy_(tensor_);
}

void take_from(Rank rank, WorldAccess::Inside& inside, const std::vector<NamedTensor>& tensors) {
  if (tensors.empty() || inside.wire().size() == 1) return;
  const torch::NoGradGuard no_grad;
  std::vector<PlainTensor> plain;
  for (const NamedTensor& named : tensors) plain.emplace_back(named.tensor);
  Broadcast broadcast(inside, rank);
  for (const PlainTensor& tensor : plain) broadcast.add(tensor.bytes());
  broadcast.flush();
  for (const PlainTensor& tensor : plain) tensor.give_back();
}

void share_buffers(WorldAccess::Inside& inside, Buffers choice, const std::vector<NamedTensor>& buffers,
                   const rounds::Round& round, bool takes_part) {
  if (buffers.empty() || choice == Buffers::kOwn || inside.wire().size() == 1) return;
  if (choice == Buffers::kFromRank0) return take_from(round.leader, inside, buffers);
  const torch::NoGradGuard no_grad;
  std::vector<NamedTensor> others;
  for (const NamedTensor& buffer : buffers) {
    if (!buffer.tensor.is_floating_point()) {
      others.push_back(buffer);
    } else if (buffer.tensor.scalar_type() == torch::kFloat64) {
      average_as<double>(inside, buffer.tensor, takes_part, round.active);
    } else {
      average_as<float>(inside, buffer.tensor, takes_part, round.active);  // those of 16 bits, too
    }
  }
  take_from(round.leader, inside, others);
}

}  // namespace trireme::libtorch
