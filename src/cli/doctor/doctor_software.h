// What is installed here that training needs or could use. Nothing of it is loaded: a BLAS starts threads
// when it is, and this process still forks.
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

/// What `ldconfig -p` prints: the libraries that a program finds without being told where.
[[nodiscard]] std::vector<Library> parse_ldconfig(std::string_view text);

/// The file that a path leads to in the end, through all links.
using Resolve = std::function<std::string(const std::string& path)>;

/// The BLAS that libtorch of Debian would take: whichever libblas.so.3 leads to.
[[nodiscard]] std::optional<Blas> find_blas(const std::vector<Library>& libraries, const Resolve& resolve);

/// Whose headers are below one of the folders ("/usr", …), or whose library alone is there.
[[nodiscard]] std::optional<Torch> find_torch(const std::vector<Library>& libraries,
                                              const std::vector<std::string>& folders, const ReadFile& read);

/// Whose launcher that is, by the file that its path leads to: "Open MPI", "MPICH".
[[nodiscard]] std::optional<std::string> family_of_mpirun(std::string_view resolved);

[[nodiscard]] SoftwareFacts examine_software();

}  // namespace trireme::cli
