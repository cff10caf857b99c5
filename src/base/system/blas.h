// Names the library that multiplies matrices, from the name of its file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trireme {

struct Blas {
  std::string name;  ///< "OpenBLAS with OpenMP"
  std::string path;
  bool fast = true;  ///< not the reference implementation
};

/// Takes the name from the file that all symbolic links lead to. A file that matches no other entry is the
/// reference implementation.
[[nodiscard]] Blas name_blas(std::string path);

/// The BLAS that a process has loaded, found in the text of its /proc/PID/maps. Returns nothing when libtorch
/// brings its own.
[[nodiscard]] std::optional<Blas> loaded_blas(std::string_view maps);

}  // namespace trireme
