// Reads safetensors files of anyone, and believes nothing before it has checked it: the length of the header,
// its JSON, types, shapes and offsets. The bytes of the tensors must fill the rest of the file, without gap
// or overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/input_file.h"
#include "checkpoint/safetensors_writer.h"
#include "checkpoint/tensor.h"

namespace trireme::checkpoint {

/// What the reference implementation takes, too.
inline constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

/// A tensor of a file. `begin` counts from the first byte behind the header.
struct StoredTensor {
  TensorInfo info;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  ///< as they lie in the file
  Metadata metadata;
  std::uint64_t data_begin = 0;  ///< byte of the file
};

/// The header of a file of so many bytes. `beginning` are its first 8 + length bytes, or all that it has;
/// `name` is for errors. Throws `Error` (bad input) with what is wrong.
[[nodiscard]] SafetensorsHeader read_safetensors_header(std::span<const std::byte> beginning,
                                                        std::uint64_t file_bytes, const std::string& name);

/// An open file whose header is right. Threads may read at the same time.
class SafetensorsFile {
 public:
  /// Throws `Error` (bad input).
  explicit SafetensorsFile(std::filesystem::path file);

  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return header_.tensors; }
  [[nodiscard]] const Metadata& metadata() const { return header_.metadata; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  /// Null if there is none of this name.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;

  /// Fills `into` with bytes of the tensor, from byte `first` of it on. Throws `Error` (bad input) when the
  /// file has become shorter.
  void read(const StoredTensor& tensor, std::uint64_t first, std::span<std::byte> into) const;
  /// The whole tensor.
  [[nodiscard]] std::vector<std::byte> read(const StoredTensor& tensor) const;

 private:
  InputFile file_;
  SafetensorsHeader header_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // → index of `header_.tensors`
};

/// One sentence about the first tensor, in the order of `wanted`, that `found` lacks or has with another type
/// or shape, or about the first that is in `found` alone; empty if there is none: "0.weight is F32 256 × 784
/// here and F32 128 × 784 in the checkpoint".
[[nodiscard]] std::string first_difference(std::span<const TensorInfo> wanted,
                                           std::span<const StoredTensor> found);

}  // namespace trireme::checkpoint
