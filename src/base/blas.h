// Which library multiplies matrices, by the name of its file.
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

/// By the file that all links lead to; what no other has is the reference implementation.
[[nodiscard]] Blas name_blas(std::string path);

/// The one that a process has loaded, from what stands in its /proc/PID/maps. Nothing: libtorch brings its
/// own.
[[nodiscard]] std::optional<Blas> loaded_blas(std::string_view maps);

}  // namespace trireme
