// The job that a process belongs to, as its environment tells (`world/environment.h`).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "wire/wire_kind.h"
#include "world/world_sources.h"

namespace trireme::world {

/// The knowledge of one process about its job. A process that nobody launched is a job of one.
struct FoundWorld {
  Rank rank = 0;
  Rank size = 1;
  std::string source = "nobody";        ///< who says so: "trireme launch", "torchrun", "Open MPI", …
  std::optional<Rank> local_rank{};     ///< the number of this process on its host
  std::optional<Rank> local_size{};     ///< how many of the job's processes are on this host
  std::optional<bool> several_hosts{};  ///< nothing: the launcher does not say
  /// Under another's launcher: names the job, the same in all its processes on this host; fit for the name of
  /// a file. Nothing where that launcher says nothing that tells its jobs apart.
  std::optional<std::string> job_key{};

  std::optional<std::string> meet{};  ///< "host:port", or the absolute path of a file
  std::optional<int> listener_fd{};   ///< of rank 0: listens at the place to meet; inherited
  std::optional<int> segment_fd{};    ///< memory shared with all nodes here; inherited, not owned by this
  std::optional<wire::WireKind> wire{};
  std::optional<std::string> secret{};       ///< as it stands there, unchecked; never to be shown
  std::optional<std::string> secret_file{};  ///< where the secret stands
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  ///< for one exchange

  std::vector<Sighting> sightings{};  ///< every launcher that was looked for, most trusted first
};

/// Whether somebody has launched it, be it as one of one.
[[nodiscard]] inline bool is_launched(const FoundWorld& world) { return world.source != FoundWorld().source; }

[[nodiscard]] std::optional<std::string> get_variable(const char* name);

/// Reads the variables. The most trusted launcher that says both rank and size is believed; what it leaves
/// open is taken from those that agree with it.
///
/// Throws `Error` (bad input) that names the variable and its value when one is malformed, or when they do
/// not go together: a rank that is not below the size, one of the two without the other, or two launchers
/// that say different things. A launcher around another launcher does not contradict it: it counts other
/// processes.
[[nodiscard]] FoundWorld find_world(const GetVariable& get = get_variable);

/// One line for whoever is alone though variables that nobody believes say more than 1: "RANK=0 and
/// WORLD_SIZE=2 are not believed without MASTER_ADDR: this is a job of one". Nothing otherwise.
[[nodiscard]] std::optional<std::string> why_alone(const FoundWorld& world);

/// The deadline alone, for whoever starts a job and does not take part in one. Nothing where the environment
/// says nothing. Throws `Error` likewise.
[[nodiscard]] std::optional<std::chrono::nanoseconds> find_timeout(const GetVariable& get = get_variable);

}  // namespace trireme::world
