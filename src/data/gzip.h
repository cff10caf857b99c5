// Decompresses gzip files.
#pragma once

#include <string>

#include "data/byte_source.h"

namespace trireme::data {

/// The decompressed bytes; several gzip files one after the other count as one. Uses about 100 kB of memory
/// for any size. The source throws `Error` (bad input) with the name if the bytes are not gzip, end too
/// early, are damaged, or are followed by something else.
[[nodiscard]] ByteSource gunzipped(ByteSource compressed, std::string name);

/// Whether the name ends in .gz.
[[nodiscard]] bool is_gzip_name(const std::string& name);

}  // namespace trireme::data
