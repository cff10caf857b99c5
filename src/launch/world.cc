#include "launch/world.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <tuple>

#include "base/duration.h"
#include "base/error.h"
#include "base/text.h"
#include "launch/environment.h"

namespace trireme {
namespace {

constexpr const char* kHint = "let trireme launch set it, or unset it";

int parse_variable(const char* name, const std::string& value, int min) {
  return static_cast<int>(parse_integer(value, name, min, std::numeric_limits<int>::max()));
}

void require_both(const std::optional<std::string>& rank, const std::optional<std::string>& size) {
  if (rank.has_value() == size.has_value()) return;
  const auto [given, value, missing] = rank ? std::tuple{environment::kRank, *rank, environment::kSize}
                                            : std::tuple{environment::kSize, *size, environment::kRank};
  throw bad_input(fmt::format("{} is '{}', but {} is not set", given, printable(value), missing),
                  "set both or none");
}

}  // namespace

std::optional<std::string> get_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

FoundWorld find_world(const GetVariable& get) {
  FoundWorld world;
  const std::optional<std::string> rank = get(environment::kRank);
  const std::optional<std::string> size = get(environment::kSize);
  require_both(rank, size);
  if (rank) {
    world.size = parse_variable(environment::kSize, *size, 1);
    world.rank = parse_variable(environment::kRank, *rank, 0);
    if (world.rank >= world.size) {
      throw bad_input(fmt::format("{} is {}, but {} is {}", environment::kRank, world.rank,
                                  environment::kSize, world.size),
                      fmt::format("ranks go from 0 to {}", world.size - 1));
    }
  }
  if (const std::optional<std::string> segment = get(environment::kSegment)) {
    if (!rank) {
      throw bad_input(fmt::format("{} is '{}', but {} is not set", environment::kSegment, printable(*segment),
                                  environment::kRank),
                      kHint);
    }
    world.segment_fd = parse_variable(environment::kSegment, *segment, 0);
  }
  if (const std::optional<std::string> timeout = get(environment::kTimeout)) {
    world.timeout = parse_duration(*timeout, environment::kTimeout);
  }
  return world;
}

}  // namespace trireme
