// What a gzip file holds.
#pragma once

#include <string>

#include "data/byte_source.h"

namespace trireme::data {

/// The bytes that were compressed; several gzip files one behind the other count as one. Takes some 100 kB
/// however much there is. The source throws `Error` (bad input), with the name in it, when the bytes are not
/// gzip, end too early, are damaged, or are followed by something else.
[[nodiscard]] ByteSource gunzipped(ByteSource compressed, std::string name);

/// The name ends in .gz.
[[nodiscard]] bool is_gzip_name(const std::string& name);

}  // namespace trireme::data
