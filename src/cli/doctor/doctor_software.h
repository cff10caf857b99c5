// Installed software that training needs or could use. None of it is loaded: a BLAS starts threads when it is
// loaded, and this process still forks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/doctor.h"
#include "cli/doctor/doctor_host.h"

namespace trireme::cli {

struct Library {
  std::string name;  ///< "libblas.so.3"
  std::string path;

  friend bool operator==(const Library&, const Library&) = default;
};

/// The output of `ldconfig -p`: the libraries that a program finds without a given path.
[[nodiscard]] std::vector<Library> parse_ldconfig(std::string_view text);

/// The file that a path leads to, after all links.
using Resolve = std::function<std::string(const std::string& path)>;

/// The BLAS that Debian's libtorch would use: the one that libblas.so.3 leads to.
[[nodiscard]] std::optional<Blas> find_blas(const std::vector<Library>& libraries, const Resolve& resolve);

/// The libtorch whose headers are below one of the folders ("/usr", …), or of which only the library is
/// installed.
[[nodiscard]] std::optional<Torch> find_torch(const std::vector<Library>& libraries,
                                              const std::vector<std::string>& folders, const ReadFile& read);

/// The implementation of a launcher, from the file that its path leads to: "Open MPI", "MPICH".
[[nodiscard]] std::optional<std::string> family_of_mpirun(std::string_view resolved);

[[nodiscard]] SoftwareFacts examine_software();

}  // namespace trireme::cli
