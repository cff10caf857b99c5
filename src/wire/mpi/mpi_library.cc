#include "wire/mpi/mpi_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace trireme::wire::mpi {
namespace {

constexpr const char* kModule = "libtrireme_mpi.so";

struct Loaded {
  MpiLibrary* library = nullptr;
  std::string trouble;
};

// The module is searched like any library: beside this library or program, or along the run path. Open MPI
// loads its own modules, which need its symbols, so these are made visible to all.
Loaded load() {
  void* module = ::dlopen(kModule, RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) return {nullptr, ::dlerror()};
  void* function = ::dlsym(module, kMpiModuleFunction);
  if (function == nullptr) return {nullptr, fmt::format("{} is of another version", kModule)};
  return {reinterpret_cast<MpiLibrary* (*)()>(function)(), {}};
}

}  // namespace

MpiLibrary& mpi_library() {
  static const Loaded loaded = load();
  if (loaded.library != nullptr) return *loaded.library;
  throw bad_input(
      fmt::format("MPI cannot be used: {}", loaded.trouble),
      "install an MPI (Debian: libopenmpi-dev and openmpi-bin) and build Trireme again, or use another wire");
}

}  // namespace trireme::wire::mpi
