// DONE, the last file of a checkpoint: it lists all others with their sizes and sums, so that nothing else is
// needed to verify them, and its own sum. A line for each file, sorted by name:
//
//   trireme checkpoint 1
//   1c291ca3 2048 config.toml
//   9a3b0c11 318328 weights.safetensors
//   5d2f8e07 DONE
//
// with the CRC-32 in hexadecimal, the size in bytes, and in the last line the CRC-32 of all lines before it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/summed_file.h"

namespace trireme::checkpoint {

/// Throws `Error` (bad input) when two files have one name, or a name is not one that `is_file_name` takes.
[[nodiscard]] std::string to_text(std::vector<FileSum> files);

/// Throws `Error` (bad input) that begins with `name` when the text is not exactly what `to_text` writes.
[[nodiscard]] std::vector<FileSum> read_done(std::string_view text, const std::string& name);

}  // namespace trireme::checkpoint
