// Tensors of libtorch as files of checkpoints have them, and back.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/safetensors_file.h"
#include "checkpoint/safetensors_writer.h"
#include "checkpoint/tensor.h"
#include "libtorch/module_tensors.h"

namespace trireme::libtorch {

/// A file to be written: tensors whose bytes lie somewhere else, or in `copies`.
struct FileContent {
  std::string name;
  std::vector<checkpoint::TensorView> tensors;
  checkpoint::Metadata metadata{};
  std::vector<torch::Tensor> copies{};  ///< of tensors that are not plain

  [[nodiscard]] std::uint64_t bytes() const;
  /// Throws `Error` (bad input) for a type that files do not have.
  void add(const NamedTensor& tensor);
};

/// Name, type and shape. Throws likewise.
[[nodiscard]] checkpoint::TensorInfo info_of(const NamedTensor& tensor);
[[nodiscard]] std::vector<checkpoint::TensorInfo> infos_of(std::span<const NamedTensor> tensors);

/// Copies the bytes of all tensors to memory of their own, from which they are written from now on.
[[nodiscard]] std::shared_ptr<std::byte[]> copy_aside(std::span<FileContent> files);

/// Throws `Error` (bad input) with the first tensor in which the file differs.
void require_same_tensors(std::span<const NamedTensor> tensors, const checkpoint::SafetensorsFile& file);
/// The tensors take what is in the file, which has them all.
void read_into(std::span<const NamedTensor> tensors, const checkpoint::SafetensorsFile& file);

/// The parameters and buffers of a module in one file, whole or not at all.
void write_weights(const std::filesystem::path& file, const torch::nn::Module& module);
/// The same back. Throws `Error` (bad input).
void read_weights(const std::filesystem::path& file, const torch::nn::Module& module);

}  // namespace trireme::libtorch
