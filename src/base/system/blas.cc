#include "base/system/blas.h"

#include <utility>

#include "base/text.h"

namespace trireme {
namespace {

struct KnownBlas {
  std::string_view part;  // found in its path
  std::string_view name;
};

// The first entry that matches is used.
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

// Finds the first mapped file with this name. A line looks like this: "7f…-7f… r-xp 00000000 fe:01 123
// /lib/libz.so".
std::optional<std::string> mapped_file(std::string_view maps, std::string_view name) {
  for (const std::string_view line : split(maps, '\n')) {
    const std::size_t path = line.find('/');
    if (path != std::string_view::npos && line.substr(line.rfind('/') + 1).starts_with(name)) {
      return std::string(line.substr(path));
    }
  }
  return std::nullopt;
}

}  // namespace

Blas name_blas(std::string path) {
  for (const auto& [part, name] : kKnownBlas) {
    if (path.find(part) != std::string::npos) return {std::string(name), std::move(path), true};
  }
  return {"the reference BLAS", std::move(path), false};
}

std::optional<Blas> loaded_blas(std::string_view maps) {
  // LAPACK may have loaded other libraries too; callers that ask for BLAS by its common name get this one.
  for (const std::string_view name : {"libblas.so", "libopenblas", "libmkl_intel"}) {
    if (std::optional<std::string> path = mapped_file(maps, name)) return name_blas(*std::move(path));
  }
  return std::nullopt;
}

}  // namespace trireme
