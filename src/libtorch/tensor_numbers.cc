// Tensors as arguments of Group's operations.
#include <ATen/MemoryOverlap.h>
#include <fmt/format.h>
#include <trireme/torch.h>

#include <memory>
#include <optional>

#include "base/error.h"
#include "libtorch/module_tensors.h"

namespace trireme {
namespace {

std::optional<NumberType> number_type(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat:
      return NumberType::kFloat32;
    case torch::kDouble:
      return NumberType::kFloat64;
    case torch::kHalf:
      return NumberType::kFloat16;
    case torch::kBFloat16:
      return NumberType::kBFloat16;
    case torch::kChar:
      return NumberType::kInt8;
    case torch::kInt:
      return NumberType::kInt32;
    case torch::kLong:
      return NumberType::kInt64;
    case torch::kByte:
      return NumberType::kUint8;
    default:
      return std::nullopt;
  }
}

std::string remedy_for(torch::ScalarType type) {
  if (c10::isComplexType(type)) return "pass torch::view_as_real(tensor)";
  if (c10::isQIntType(type)) return "pass tensor.int_repr(), or tensor.dequantize()";
  if (type == torch::kBool) return "pass tensor.to(torch::kByte)";
  return "pass tensor.to(torch::kInt), or of another type that is exchanged";
}

NumberType checked_type(const torch::Tensor& tensor) {
  const torch::ScalarType type = tensor.scalar_type();
  if (const std::optional<NumberType> known = number_type(type)) return *known;
  throw bad_input(fmt::format("a tensor of {}: only Float, Double, Half, BFloat16, Char, Int, Long and Byte "
                              "can be exchanged",
                              c10::toString(type)),
                  remedy_for(type));
}

void require_numbers(const torch::Tensor& tensor) {
  if (!tensor.defined()) throw bad_input("a tensor that is not defined has no numbers", "give it some first");
  if (tensor.layout() != torch::kStrided) {
    throw bad_input(fmt::format("a tensor of the layout {} does not have its numbers in one piece",
                                c10::str(tensor.layout())),
                    "pass tensor.to_dense(), or the tensors that it consists of");
  }
  if (tensor.is_meta()) throw bad_input("a tensor on the device meta has no numbers", "make it on the CPU");
}

// What could not be written would fail too late: when the result is there.
void require_writable(const torch::Tensor& tensor) {
  if (at::has_internal_overlap(tensor) == at::MemOverlap::Yes) {
    throw bad_input("a tensor, several of whose numbers are one in memory, cannot hold a result",
                    "pass tensor.clone(), or the tensor that was expanded");
  }
  if (tensor.is_inference() && !c10::InferenceMode::is_enabled()) {
    throw bad_input("a tensor of the inference mode is written outside of it",
                    "pass tensor.clone(), or call it in that mode");
  }
}

}  // namespace

Lent NumbersOf<torch::Tensor>::lend(const torch::Tensor& numbers, bool written) {
  require_numbers(numbers);
  const NumberType type = checked_type(numbers);
  if (written) {
    require_writable(numbers);
    numbers.unsafeGetTensorImpl()->bump_version();
  }
  const torch::NoGradGuard no_grad;
  auto plain = std::make_unique<libtorch::PlainTensor>(numbers);
  const std::span<std::byte> bytes = plain->bytes();
  const auto put_back = [written](libtorch::PlainTensor* lent) {
    const std::unique_ptr<libtorch::PlainTensor> owner(lent);
    const torch::NoGradGuard no_grad_either;
    if (written) lent->give_back();
  };
  return {bytes, type,
          std::shared_ptr<void>(std::shared_ptr<libtorch::PlainTensor>(plain.release(), put_back))};
}

}  // namespace trireme
