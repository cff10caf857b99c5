// Writes safetensors files: the length of a JSON header (8 bytes, little-endian), the header, then the bytes
// of all tensors without gaps. The header ends with spaces so that the bytes begin at a multiple of 8. Types
// with larger elements come first, so that every tensor begins at a multiple of its element size; within a
// type the order is kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "checkpoint/summed_file.h"
#include "checkpoint/tensor.h"

namespace trireme::checkpoint {

/// Its value in the header is the metadata, so no tensor has this name.
inline constexpr const char* kMetadataKey = "__metadata__";
using Metadata = std::map<std::string, std::string>;
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// The bytes of a whole file, piece by piece, to wherever `sink` takes them: a disk, or another host. Throws
/// `Error` (bad input) when two tensors have one name, a name is "__metadata__" or not UTF-8, or bytes and
/// shape differ.
void stream_safetensors(std::span<const TensorView> tensors, const Metadata& metadata, const ByteSink& sink);

/// The same to a new file, which is on the disk afterwards. Also throws as `SummedFile` does.
[[nodiscard]] FileSum write_safetensors(const std::filesystem::path& file,
                                        std::span<const TensorView> tensors, const Metadata& metadata = {});

}  // namespace trireme::checkpoint
