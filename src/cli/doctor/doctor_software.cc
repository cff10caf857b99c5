#include "cli/doctor/doctor_software.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "base/text.h"
#include "wire/mpi/mpi.h"

namespace trireme::cli {
namespace {

const Library* find_library(const std::vector<Library>& libraries, std::string_view prefix) {
  const auto at = std::find_if(libraries.begin(), libraries.end(),
                               [&](const Library& library) { return library.name.starts_with(prefix); });
  return at == libraries.end() ? nullptr : &*at;
}

// The number after "#define NAME " in a header.
std::string defined(std::string_view header, std::string_view name) {
  const std::string line = fmt::format("#define {} ", name);
  const std::size_t at = header.find(line);
  if (at == std::string_view::npos) return "?";
  const std::string_view rest = header.substr(at + line.size());
  return printable(rest.substr(0, rest.find_first_of(" \r\n")));
}

std::string torch_version(std::string_view header) {
  return fmt::format("{}.{}.{}", defined(header, "TORCH_VERSION_MAJOR"),
                     defined(header, "TORCH_VERSION_MINOR"), defined(header, "TORCH_VERSION_PATCH"));
}

std::string output_of(const char* command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command, "re"), ::pclose);
  std::string text;
  char block[4096];
  while (pipe != nullptr) {
    const std::size_t got = std::fread(block, 1, sizeof(block), pipe.get());
    if (got == 0) break;
    text.append(block, got);
  }
  return text;
}

std::string resolve(const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  return error ? path : resolved.string();
}

std::optional<std::string> on_path(const char* program) {
  const std::string path = world::get_variable("PATH").value_or("/bin:/usr/bin");
  for (const std::string_view folder : split(path, ':')) {
    const std::string file = fmt::format("{}/{}", folder, program);
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

// CMake is told to look in these folders, too.
std::vector<std::string> folders_of_headers() {
  std::vector<std::string> folders;
  const std::string told = world::get_variable("CMAKE_PREFIX_PATH").value_or("");
  for (const std::string_view list : split(told, ';')) {
    for (const std::string_view folder : split(list, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  folders.insert(folders.end(), {"/usr/local", "/usr"});
  return folders;
}

}  // namespace

std::vector<Library> parse_ldconfig(std::string_view text) {
  std::vector<Library> libraries;
  for (const std::string_view line : split(text, '\n')) {  // "libz.so.1 (libc6,x86-64) => /lib/libz.so.1"
    const std::size_t bracket = line.find(" (");
    const std::size_t arrow = line.find(" => ");
    if (bracket == std::string_view::npos || arrow == std::string_view::npos || arrow < bracket) continue;
    libraries.push_back({std::string(line.substr(0, bracket)), std::string(line.substr(arrow + 4))});
  }
  return libraries;
}

std::optional<Blas> find_blas(const std::vector<Library>& libraries, const Resolve& resolve) {
  const Library* library = find_library(libraries, "libblas.so.3");
  if (library == nullptr) library = find_library(libraries, "libopenblas");
  if (library == nullptr) return std::nullopt;
  return name_blas(resolve(library->path));
}

std::optional<Torch> find_torch(const std::vector<Library>& libraries,
                                const std::vector<std::string>& folders, const ReadFile& read) {
  for (const std::string& folder : folders) {
    const std::string file = folder + "/include/torch/csrc/api/include/torch/version.h";
    if (const std::optional<std::string> header = read(file)) return Torch{torch_version(*header), folder};
  }
  const Library* library = find_library(libraries, "libtorch.so");
  if (library == nullptr) return std::nullopt;
  constexpr std::string_view kBase = "libtorch.so.";
  const bool says = library->name.starts_with(kBase);
  return Torch{says ? library->name.substr(kBase.size()) : "?", library->path, false};
}

std::optional<std::string> family_of_mpirun(std::string_view resolved) {
  const std::string_view file = resolved.substr(resolved.rfind('/') + 1);
  const auto has = [&](std::string_view part) { return file.find(part) != std::string_view::npos; };
  if (has("orterun") || has("prterun") || has("openmpi")) return "Open MPI";
  if (has("hydra") || has("mpich")) return "MPICH";
  return std::nullopt;
}

SoftwareFacts examine_software() {
  SoftwareFacts facts;
  facts.mpi = wire::mpi::mpi_version();
  facts.mpirun = on_path("mpirun");
  if (facts.mpirun) facts.mpirun_mpi = family_of_mpirun(resolve(*facts.mpirun));
  // ldconfig is not on the path of users other than root.
  const std::vector<Library> libraries =
      parse_ldconfig(output_of("PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null"));
  facts.blas = find_blas(libraries, resolve);
  facts.torch = find_torch(libraries, folders_of_headers(), read_file);
  return facts;
}

}  // namespace trireme::cli
