// The launchers that we know, and how each tells a process about its job: one table, in the order in which
// they are trusted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/types.h"

namespace trireme::world {

/// The source that is no launcher in particular: the variables that torchrun made known, without torchrun.
inline constexpr std::string_view kRankAndWorldSize = "RANK and WORLD_SIZE";

/// The source that is Open MPI's mpirun, of whatever size the job is.
inline constexpr std::string_view kOpenMpiSource = "Open MPI";

/// The value of an environment variable, or nothing where it is not set.
using GetVariable = std::function<std::optional<std::string>(const char* name)>;

/// Variables that may be a rank and a size, or anybody's of the same names.
struct Doubt {
  std::string said;     ///< "RANK=0 and WORLD_SIZE=2"
  Rank size = 1;        ///< as said
  std::string missing;  ///< without which it is not believed: "MASTER_ADDR"
};

/// The words of one launcher, and whether they are believed.
struct Sighting {
  enum class Verdict {
    kAbsent,       ///< has set nothing, or too little to tell it by
    kWon,          ///< is believed
    kAgrees,       ///< says the same as the one that is believed
    kOuter,        ///< started something around the launcher that is believed, and counts other processes
    kIncomplete,   ///< says a rank or a size, but not both
    kContradicts,  ///< says something else than the one that is believed
    kUnreadable,   ///< says what cannot be
    kDoubted,      ///< has set a rank and a size, but not what would tell that they are meant for this
  };

  std::string source;  ///< "trireme launch", "torchrun", "Open MPI", …
  std::optional<Rank> rank{};
  std::optional<Rank> size{};
  std::optional<Rank> local_rank{};
  std::optional<Rank> local_size{};
  std::optional<Rank> hosts{};
  /// The same in all processes of this job on this host, and in those of no other job there; fit for the name
  /// of a file. Nothing where the launcher says nothing that could be told apart.
  std::optional<std::string> job_key{};
  Verdict verdict = Verdict::kAbsent;
  std::optional<Failure> failure{};  ///< why it is unreadable, incomplete or contradicts
  std::optional<Doubt> doubt{};      ///< why it is doubted
};

/// The verdict in words: "is believed", "set, not believed: MASTER_ADDR is missing", ….
[[nodiscard]] std::string in_words(const Sighting& seen);

/// Whether a launcher, ours or another's, tells its processes something by a variable of this name. A job of
/// its own that is started from here must not see it.
[[nodiscard]] bool is_of_launcher(std::string_view name);

/// Looks for every launcher, most trusted first; always all of them. Throws nothing of its own.
[[nodiscard]] std::vector<Sighting> look_around(const GetVariable& get);

}  // namespace trireme::world
