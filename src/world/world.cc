#include "world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "world/environment.h"

namespace trireme::world {
namespace {

using Verdict = Sighting::Verdict;

// A script's empty variable is a slip.
std::optional<std::string> read_text(const GetVariable& get, const char* name) {
  std::optional<std::string> value = get(name);
  if (value && value->empty()) throw bad_input(fmt::format("{} is empty", name), "give a value or unset it");
  return value;
}

std::optional<int> read_descriptor(const GetVariable& get, const char* name) {
  const std::optional<std::string> value = get(name);
  if (!value) return std::nullopt;
  if (!get(environment::kRank)) {
    throw bad_input(fmt::format("{} is '{}', but {} is not set", name, printable(*value), environment::kRank),
                    "let trireme launch set it, or unset it");
  }
  return static_cast<int>(parse_integer(printable(*value), name, 0, std::numeric_limits<int>::max()));
}

std::optional<wire::WireKind> read_wire(const GetVariable& get) {
  const std::optional<std::string> wire = get(environment::kWire);
  if (!wire) return std::nullopt;
  return wire::parse_wire(*wire, environment::kWire);
}

std::optional<std::string> read_meet(const GetVariable& get) {
  std::optional<std::string> meet = get(environment::kMeet);
  if (!meet || meet->starts_with('/')) return meet;
  const std::size_t colon = meet->rfind(':');
  if (colon != std::string::npos && colon > 0 && colon + 1 < meet->size()) return meet;
  throw bad_input(fmt::format("{}: '{}' is no place to meet", environment::kMeet, printable(*meet)),
                  "give host:port, or the absolute path of a file");
}

// Without torchrun nobody else listens there, and rank 0 may.
std::optional<std::string> master_address(const GetVariable& get) {
  const std::optional<std::string> port = get(environment::kMasterPort);
  if (!port) return std::nullopt;
  const std::int64_t number =
      parse_integer(printable(*port), environment::kMasterPort, 1, std::numeric_limits<std::uint16_t>::max());
  const std::optional<std::string> host = read_text(get, environment::kMasterHost);
  const bool bare_ipv6 = host->find(':') != std::string::npos && !host->starts_with('[');
  return fmt::format(fmt::runtime(bare_ipv6 ? "[{}]:{}" : "{}:{}"), *host, number);
}

template <typename Value>
void fill(std::optional<Value>& gap, const std::optional<Value>& value) {
  if (!gap) gap = value;
}

void take(FoundWorld& world, const Sighting& seen) {
  fill(world.local_rank, seen.local_rank);
  fill(world.local_size, seen.local_size);
  fill(world.job_key, seen.job_key);
  if (seen.hosts) fill(world.several_hosts, std::optional(*seen.hosts > 1));
}

void take_place(FoundWorld& world) {
  for (const Sighting& seen : world.sightings) {
    if (seen.failure) throw Error(*seen.failure);
    if (seen.verdict != Verdict::kWon) continue;
    world.rank = *seen.rank;
    world.size = *seen.size;
    world.source = seen.source;
  }
  for (const Sighting& seen : world.sightings) {
    // The winner comes before all who agree with it.
    if (seen.verdict == Verdict::kWon || seen.verdict == Verdict::kAgrees) take(world, seen);
  }
  const bool too_many = world.local_size && *world.local_size > world.size;
  if (too_many || (world.local_rank && world.local_size && *world.local_rank >= *world.local_size)) {
    throw bad_input(fmt::format("this is rank {} of {}, and on its host {} of {}: that does not go together",
                                world.rank, world.size, world.local_rank.value_or(0), *world.local_size),
                    "several launchers say a part of it each; trireme doctor shows them");
  }
  if (world.local_size) world.several_hosts = *world.local_size < world.size;
}

}  // namespace

std::optional<std::string> get_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<std::string> why_alone(const FoundWorld& world) {
  if (world.source != FoundWorld{}.source) return std::nullopt;
  for (const Sighting& seen : world.sightings) {
    if (!seen.doubt || seen.doubt->size <= 1) continue;
    return fmt::format("{} are not believed without {}: this is a job of one", seen.doubt->said,
                       seen.doubt->missing);
  }
  return std::nullopt;
}

std::optional<std::chrono::nanoseconds> find_timeout(const GetVariable& get) {
  const std::optional<std::string> timeout = get(environment::kTimeout);
  if (!timeout) return std::nullopt;
  return parse_duration(*timeout, environment::kTimeout);
}

FoundWorld find_world(const GetVariable& get) {
  FoundWorld world;
  world.sightings = look_around(get);
  take_place(world);
  world.segment_fd = read_descriptor(get, environment::kSegment);
  world.listener_fd = read_descriptor(get, environment::kListener);
  world.meet = read_meet(get);
  if (!world.meet && world.source == kRankAndWorldSize) world.meet = master_address(get);
  world.wire = read_wire(get);
  world.secret = read_text(get, environment::kSecret);
  world.secret_file = read_text(get, environment::kSecretFile);
  world.timeout = find_timeout(get).value_or(world.timeout);
  return world;
}

}  // namespace trireme::world
