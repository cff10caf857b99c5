#include "libtorch/stored_tensors.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/system/out_file.h"
#include "base/text.h"

namespace trireme::libtorch {
namespace {

using checkpoint::TensorType;

constexpr std::array kTypes = {
    std::pair{torch::kFloat32, TensorType::kF32}, std::pair{torch::kFloat64, TensorType::kF64},
    std::pair{torch::kFloat16, TensorType::kF16}, std::pair{torch::kBFloat16, TensorType::kBF16},
    std::pair{torch::kUInt8, TensorType::kU8},    std::pair{torch::kInt8, TensorType::kI8},
    std::pair{torch::kInt16, TensorType::kI16},   std::pair{torch::kInt32, TensorType::kI32},
    std::pair{torch::kInt64, TensorType::kI64},   std::pair{torch::kBool, TensorType::kBool},
};

std::vector<NamedTensor> all_of(const torch::nn::Module& module) {
  std::vector<NamedTensor> tensors = parameters_of(module);
  for (NamedTensor& buffer : buffers_of(module)) tensors.push_back(std::move(buffer));
  return tensors;
}

}  // namespace

checkpoint::TensorInfo info_of(const NamedTensor& tensor) {
  const torch::ScalarType type = tensor.tensor.scalar_type();
  for (const auto& [ours, stored] : kTypes) {
    if (ours != type) continue;
    checkpoint::TensorInfo info{tensor.name, stored, {}};
    for (const std::int64_t size : tensor.tensor.sizes()) info.shape.push_back(idx(size));
    return info;
  }
  throw bad_input(fmt::format("{} is of {}, which no checkpoint keeps", tensor.name, c10::toString(type)),
                  "keep it as another type");
}

std::vector<checkpoint::TensorInfo> infos_of(std::span<const NamedTensor> tensors) {
  std::vector<checkpoint::TensorInfo> infos;
  for (const NamedTensor& tensor : tensors) infos.push_back(info_of(tensor));
  return infos;
}

std::uint64_t FileContent::bytes() const {
  std::uint64_t sum = 0;
  for (const checkpoint::TensorView& tensor : tensors) sum += tensor.bytes.size();
  return sum;
}

void FileContent::add(const NamedTensor& tensor) {
  const torch::Tensor plain = tensor.tensor.detach().cpu().resolve_neg().contiguous();
  tensors.push_back({info_of(tensor), {static_cast<const std::byte*>(plain.data_ptr()), plain.nbytes()}});
  copies.push_back(plain);
}

std::shared_ptr<std::byte[]> copy_aside(std::span<FileContent> files) {
  std::uint64_t bytes = 0;
  for (const FileContent& file : files) bytes += file.bytes();
  std::shared_ptr<std::byte[]> memory(new std::byte[bytes]);  // not filled with zeros
  std::byte* to = memory.get();
  for (FileContent& file : files) {
    for (checkpoint::TensorView& tensor : file.tensors) {
      if (!tensor.bytes.empty()) std::memcpy(to, tensor.bytes.data(), tensor.bytes.size());
      tensor.bytes = {to, tensor.bytes.size()};
      to += tensor.bytes.size();
    }
    file.copies.clear();
  }
  return memory;
}

void require_same_tensors(std::span<const NamedTensor> tensors, const checkpoint::SafetensorsFile& file) {
  const std::string difference = checkpoint::first_difference(infos_of(tensors), file.tensors());
  if (difference.empty()) return;
  throw bad_input(fmt::format("{} is of another model: {}", printable(file.path().string()), difference),
                  "give the model with which it was saved");
}

void read_into(std::span<const NamedTensor> tensors, const checkpoint::SafetensorsFile& file) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& tensor : tensors) {
    const PlainTensor plain(tensor.tensor);
    file.read(*file.find(tensor.name), 0, plain.bytes());
    plain.give_back();
  }
}

void write_weights(const std::filesystem::path& file, const torch::nn::Module& module) {
  FileContent content;
  for (const NamedTensor& tensor : all_of(module)) content.add(tensor);
  OutFile out(file);
  checkpoint::stream_safetensors(content.tensors, content.metadata, [&](std::span<const std::byte> bytes) {
    out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  out.finish();
}

void read_weights(const std::filesystem::path& file, const torch::nn::Module& module) {
  const checkpoint::SafetensorsFile stored(file);
  const std::vector<NamedTensor> tensors = all_of(module);
  require_same_tensors(tensors, stored);
  read_into(tensors, stored);
}

}  // namespace trireme::libtorch
