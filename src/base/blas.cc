#include "base/blas.h"

#include <utility>

#include "base/text.h"

namespace trireme {
namespace {

struct KnownBlas {
  std::string_view part;  // of its path
  std::string_view name;
};

// The first that fits.
constexpr KnownBlas kKnownBlas[] = {
    {"openblas-pthread", "OpenBLAS with pthreads"},
    {"openblas-openmp", "OpenBLAS with OpenMP"},
    {"openblas-serial", "OpenBLAS with one thread"},
    {"openblasp", "OpenBLAS with pthreads"},
    {"openblaso", "OpenBLAS with OpenMP"},
    {"openblas", "OpenBLAS"},
    {"flexiblas", "FlexiBLAS"},
    {"blis", "BLIS"},
    {"mkl", "MKL"},
    {"atlas", "ATLAS"},
};

bool is_blas(std::string_view file) {
  return file.starts_with("libblas.so") || file.starts_with("libopenblas") ||
         file.starts_with("libmkl_intel");
}

}  // namespace

Blas name_blas(std::string path) {
  for (const auto& [part, name] : kKnownBlas) {
    if (path.find(part) != std::string::npos) return {std::string(name), std::move(path), true};
  }
  return {"the reference BLAS", std::move(path), false};
}

std::optional<Blas> loaded_blas(std::string_view maps) {
  for (const std::string_view line : split(maps, '\n')) {  // "7f…-7f… r-xp 00000000 fe:01 123   /lib/libz.so"
    const std::size_t path = line.find('/');
    if (path == std::string_view::npos) continue;
    const std::string_view file = line.substr(line.rfind('/') + 1);
    if (is_blas(file)) return name_blas(std::string(line.substr(path)));
  }
  return std::nullopt;
}

}  // namespace trireme
