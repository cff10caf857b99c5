#include "world/world_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "world/environment.h"
#include "world/slurm_tasks.h"

namespace trireme::world {
namespace {

using namespace environment;
using Verdict = Sighting::Verdict;

constexpr std::string_view kOurs = "trireme launch";
constexpr std::string_view kTorchrun = "torchrun";
constexpr std::string_view kPmi = "PMI";
constexpr std::string_view kPmix = "PMIx";
constexpr std::string_view kSlurm = "Slurm";

/// Which variables a launcher sets; nullptr where it has none for it.
struct Source {
  std::string_view name;
  const char* rank;
  const char* size;
  const char* local_rank = nullptr;
  const char* local_size = nullptr;
  const char* hosts = nullptr;
  std::array<const char*, 3> job{};    ///< those that are set make up the key of the job
  std::array<const char*, 3> needs{};  ///< unless all are set, the others may be anybody's
};

constexpr Source kSources[] = {
    {.name = kOurs, .rank = kRank, .size = kSize, .hosts = kHosts},
    {.name = kTorchrun,
     .rank = kTorchRank,
     .size = kTorchSize,
     .local_rank = kTorchLocalRank,
     .local_size = kTorchLocalSize,
     .job = {kTorchRunId, kTorchRestarts, kMasterPort},
     .needs = {kTorchRank, kTorchSize, kTorchLocalRank}},
    {.name = kOpenMpiSource,
     .rank = kOpenMpiRank,
     .size = kOpenMpiSize,
     .local_rank = kOpenMpiLocalRank,
     .local_size = kOpenMpiLocalSize,
     .job = {kPmixJob, kOpenMpiUri}},
    {.name = kPmi,
     .rank = kPmiRank,
     .size = kPmiSize,
     .local_rank = kPmiLocalRank,
     .local_size = kPmiLocalSize,
     .job = {kPmiJob, kPmiPort}},
    {.name = "MVAPICH2",
     .rank = kMvapichRank,
     .size = kMvapichSize,
     .local_rank = kMvapichLocalRank,
     .local_size = kMvapichLocalSize,
     .job = {kPmiPort}},
    {.name = "Flux",
     .rank = kFluxRank,
     .size = kFluxSize,
     .local_rank = kFluxLocalRank,
     .hosts = kFluxHosts,
     .job = {kFluxJob}},
    {.name = kPmix, .rank = kPmixRank, .size = nullptr, .job = {kPmixJob}},
    {.name = kSlurm,
     .rank = kSlurmRank,
     .size = kSlurmSize,
     .local_rank = kSlurmLocalRank,
     .hosts = kSlurmHosts,
     .job = {kSlurmJob, kSlurmStep},
     .needs = {kSlurmStep, kSlurmRank}},
    {.name = kRankAndWorldSize,
     .rank = kTorchRank,
     .size = kTorchSize,
     .job = {kMasterHost, kMasterPort},
     .needs = {kTorchRank, kTorchSize, kMasterHost}},
};

std::int64_t read_number(const char* name, const std::string& value, std::int64_t min, std::int64_t max) {
  return parse_integer(printable(value), name, min, max);
}

std::optional<Rank> read_rank(const GetVariable& get, const char* name, Rank min) {
  const std::optional<std::string> value = name == nullptr ? std::nullopt : get(name);
  if (!value) return std::nullopt;
  return static_cast<Rank>(read_number(name, *value, min, std::numeric_limits<Rank>::max()));
}

// Slurm numbers the steps of its own (of a batch script, of an interactive shell) from the top.
bool is_real_step(const GetVariable& get) {
  constexpr std::int64_t kOwnSteps = 0xffff'fff0;
  const std::optional<std::string> step = get(kSlurmStep);
  return step && read_number(kSlurmStep, *step, 0, std::numeric_limits<std::int64_t>::max()) < kOwnSteps;
}

bool speaks(const Source& source, const GetVariable& get) {
  const auto is_set = [&](const char* name) { return name == nullptr || get(name); };
  if (!std::all_of(source.needs.begin(), source.needs.end(), is_set)) return false;
  return source.name != kSlurm || is_real_step(get);
}

// A value that is not a number is not meant for us.
std::optional<Rank> number_in(const std::optional<std::string>& value) {
  Rank number = 0;
  if (!value) return std::nullopt;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc() || end != value->data() + value->size()) return std::nullopt;
  return number;
}

// The doubt about a source that does not speak.
std::optional<Doubt> doubt_about(const Source& source, const GetVariable& get) {
  const bool slurm = source.name == kSlurm;
  if (!slurm && source.name != kRankAndWorldSize) return std::nullopt;
  const char* size_name = slurm ? kSlurmAllTasks : source.size;
  const std::optional<Rank> rank = number_in(get(source.rank));
  const std::optional<Rank> size = number_in(get(size_name));
  if (!rank || !size) return std::nullopt;
  return Doubt{fmt::format("{}={} and {}={}", source.rank, *rank, size_name, *size), *size,
               slurm ? "a step of srun" : kMasterHost};
}

// FNV-1a: nobody is to be kept from guessing it, only jobs are to be told apart.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

std::optional<std::string> read_job_key(const Source& source, const GetVariable& get) {
  std::string all;
  for (const char* name : source.job) {
    const std::optional<std::string> value = name == nullptr ? std::nullopt : get(name);
    if (value) all += fmt::format("{}={}\n", name, *value);
  }
  if (all.empty()) return std::nullopt;
  std::string key = fmt::format("{}-{:016x}", source.name, digest(all));
  std::replace(key.begin(), key.end(), ' ', '-');
  return key;
}

std::optional<Rank> read_local_size(const Source& source, const GetVariable& get) {
  if (source.name != kSlurm) return read_rank(get, source.local_size, 1);
  const std::optional<std::string> tasks = get(kSlurmTasksPerHost);
  const std::optional<Rank> host = read_rank(get, kSlurmHost, 0);
  if (!tasks || !host) return std::nullopt;
  return slurm_tasks_on(*tasks, *host, kSlurmTasksPerHost);
}

// Kubeflow gives each pod the size for torchrun to start its processes there. Some versions count pods, some
// processes; the rank is that of the pod in all of them.
void refuse_pods(const GetVariable& get, Rank size) {
  const std::optional<std::string> processes = get(kPodProcesses);
  const std::optional<std::string> pods = get(kPods);
  const bool one_each = processes ? *processes == "1" : !pods || *pods == std::to_string(size);
  if (one_each) return;
  const auto [name, value] = processes ? std::pair{kPodProcesses, *processes} : std::pair{kPods, *pods};
  throw bad_input(fmt::format("{} is {}, but {} is '{}': {} may count pods and not processes", kTorchSize,
                              size, name, printable(value), kTorchSize),
                  "start the program in each pod with torchrun --no-python");
}

void require_below(const char* name, std::optional<Rank> number, const char* limit_name,
                   std::optional<Rank> limit) {
  if (!number || !limit || *number < *limit) return;
  throw bad_input(fmt::format("{} is {}, but {} is {}", name, *number, limit_name, *limit),
                  fmt::format("ranks go from 0 to {}", *limit - 1));
}

void read_into(Sighting& seen, const Source& source, const GetVariable& get) {
  seen.size = read_rank(get, source.size, 1);
  seen.rank = read_rank(get, source.rank, 0);
  if (!seen.rank && source.name == kPmi) seen.rank = read_rank(get, kPmiId, 0);
  if (!seen.rank && !seen.size) return;
  require_below(source.rank, seen.rank, source.size, seen.size);
  seen.local_rank = read_rank(get, source.local_rank, 0);
  seen.local_size = read_local_size(source, get);
  const bool slurm = source.name == kSlurm;
  const char* local_size = slurm ? kSlurmTasksPerHost : source.local_size;
  require_below(source.local_rank, seen.local_rank, local_size, seen.local_size);
  if (seen.size && seen.local_size > seen.size) {
    throw bad_input(
        fmt::format("{} is {}, but {} is {}", local_size, *seen.local_size, source.size, *seen.size),
        "there cannot be more processes on one host than in all");
  }
  seen.hosts = read_rank(get, source.hosts, 1);
  seen.job_key = read_job_key(source, get);
  if (source.name == kRankAndWorldSize) refuse_pods(get, *seen.size);
}

// One of the two is missing.
Failure incomplete(const Source& source, const Sighting& seen, const GetVariable& get) {
  const char* given = !seen.rank ? source.size : get(source.rank) ? source.rank : kPmiId;
  const std::string value = printable(get(given).value_or(""));
  const char* hint = source.name == kOurs ? "set both or none" : "set TRIREME_RANK and TRIREME_SIZE";
  if (seen.rank && source.size == nullptr) {
    return bad_input(
               fmt::format("{} is '{}', but no variable says how many processes there are", given, value),
               hint)
        .failure();
  }
  return bad_input(fmt::format("{} is '{}', but {} is not set", given, value,
                               seen.rank ? source.size : source.rank),
                   hint)
      .failure();
}

Sighting look_for(const Source& source, const GetVariable& get) {
  Sighting seen{.source = std::string(source.name)};
  try {
    if (speaks(source, get)) {
      read_into(seen, source, get);
    } else if ((seen.doubt = doubt_about(source, get))) {
      seen.verdict = Verdict::kDoubted;
    }
  } catch (const Error& error) {
    seen.verdict = Verdict::kUnreadable;
    seen.failure = error.failure();
    return seen;
  }
  if (seen.rank.has_value() == seen.size.has_value()) return seen;
  seen.verdict = Verdict::kIncomplete;
  seen.failure = incomplete(source, seen, get);
  return seen;
}

Sighting& find(std::vector<Sighting>& all, std::string_view source) {
  return *std::find_if(all.begin(), all.end(), [&](const Sighting& seen) { return seen.source == source; });
}

// A step of Slurm that is also a job of PMIx has as many processes as Slurm says. Any other job of PMIx may
// have been started by daemons that were the tasks of the step.
void lend_size_to_pmix(std::vector<Sighting>& all, const GetVariable& get) {
  Sighting& pmix = find(all, kPmix);
  const Sighting& slurm = find(all, kSlurm);
  const bool same_job = get(kPmixJob).value_or("").starts_with("slurm.pmix.");
  if (!same_job || !pmix.rank || pmix.rank != slurm.rank || !slurm.size) return;
  pmix.size = slurm.size;
  pmix.verdict = Verdict::kAbsent;
  pmix.failure.reset();
}

// The same variables: where torchrun has set them, they are not looked at again.
void leave_plain_to_torchrun(std::vector<Sighting>& all) {
  if (!find(all, kTorchrun).size) return;
  find(all, kRankAndWorldSize) = Sighting{.source = std::string(kRankAndWorldSize)};
}

// One task on each host: that is how launchers start their daemons, and how people get a shell.
bool looks_like_daemons(const Sighting& seen) { return seen.source == kSlurm && seen.size == seen.hosts; }

bool is_outer(const Sighting& other, const Sighting& winner, const GetVariable& get) {
  if (winner.source != kTorchrun) return looks_like_daemons(other);
  // The launcher of torchrun's agents counts these.
  const std::optional<std::string> agents = get(kTorchAgents);
  return agents && other.size && *agents == std::to_string(*other.size);
}

std::string shown(const Sighting& seen) {
  const auto number = [](std::optional<Rank> rank) { return rank ? std::to_string(*rank) : "?"; };
  return fmt::format("rank {} of {}", number(seen.rank), number(seen.size));
}

Failure contradiction(const Sighting& winner, const Sighting& other) {
  return bad_input(
             fmt::format("{} says that this is {}, but {} says {}", winner.source, shown(winner),
                         other.source, shown(other)),
             fmt::format("unset the variables of one of them (trireme doctor shows both), or set {} and "
                         "{}, which are believed before all others",
                         kRank, kSize))
      .failure();
}

bool agree(const Sighting& other, const Sighting& winner) {
  return (!other.rank || other.rank == winner.rank) && (!other.size || other.size == winner.size);
}

void judge(Sighting& other, const Sighting& winner, const GetVariable& get) {
  if (!other.rank && !other.size && !other.failure) return;
  if (winner.source == kOurs) {  // our launcher passes on what it found, and agreeing would be by chance
    other.verdict = Verdict::kOuter;
    other.failure.reset();
    return;
  }
  if (other.verdict == Verdict::kUnreadable) return;
  other.verdict = agree(other, winner)           ? Verdict::kAgrees
                  : is_outer(other, winner, get) ? Verdict::kOuter
                                                 : Verdict::kContradicts;
  other.failure.reset();
  if (other.verdict == Verdict::kContradicts) other.failure = contradiction(winner, other);
}

}  // namespace

std::string in_words(const Sighting& seen) {
  switch (seen.verdict) {
    case Verdict::kAbsent:
      return "not there";
    case Verdict::kWon:
      return "is believed";
    case Verdict::kAgrees:
      return "agrees";
    case Verdict::kOuter:
      return "belongs to a launcher around it";
    case Verdict::kIncomplete:
      return "is incomplete";
    case Verdict::kContradicts:
      return "contradicts";
    case Verdict::kUnreadable:
      return "cannot be read";
    case Verdict::kDoubted:
      return fmt::format("set, not believed: {} is missing", seen.doubt->missing);
  }
  return "";
}

bool is_of_launcher(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"TRIREME_", "OMPI_", "PMIX_",     "PMI_", "PRTE_",        "ORTE_",
                                            "SLURM_",   "FLUX_", "MPI_LOCAL", "MV2_", "TORCHELASTIC_"};
  constexpr std::string_view kNames[] = {kTorchRank,      kTorchSize,    kTorchLocalRank,
                                         kTorchLocalSize, kTorchAgents,  kMasterHost,
                                         kMasterPort,     kPodProcesses, kPods};
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), begins) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<Sighting> look_around(const GetVariable& get) {
  std::vector<Sighting> all;
  for (const Source& source : kSources) all.push_back(look_for(source, get));
  lend_size_to_pmix(all, get);
  leave_plain_to_torchrun(all);
  if (all.front().failure) return all;  // our own variables are wrong: nobody else is believed instead
  const auto complete = [](const Sighting& seen) { return seen.rank && seen.size && !seen.failure; };
  const auto winner = std::find_if(all.begin(), all.end(), complete);
  if (winner == all.end()) return all;
  winner->verdict = Verdict::kWon;
  for (Sighting& seen : all) {
    if (&seen != &*winner) judge(seen, *winner, get);
  }
  return all;
}

}  // namespace trireme::world
