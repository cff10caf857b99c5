// state.json: where a training stands, apart from tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace trireme::checkpoint {

struct State {
  std::int64_t step = 0;      ///< steps that are done
  std::int64_t epoch = 0;     ///< epochs that are done
  std::int64_t position = 0;  ///< samples of the present epoch that all workers together have had
  std::uint64_t seed = 0;
  std::int64_t workers = 1;
  std::int64_t servers = 0;  ///< dedicated ones
  std::string strategy;
  std::string rule;                            ///< in words; equal words mean equal rules
  std::string model;                           ///< as the user named it; may be empty
  std::string saved;                           ///< the time in UTC, such as "2026-03-01T12:00:00Z"
  std::map<std::string, double> numbers{};     ///< such as those by which samples were normalised; all finite
  std::map<std::string, std::string> texts{};  ///< whatever else a program keeps

  bool operator==(const State&) const = default;
};

/// "2026-03-01T12:00:00Z" for now.
[[nodiscard]] std::string time_in_utc();

[[nodiscard]] std::string to_json(const State& state);

/// Throws `Error` (bad input) that begins with `name` when anything is missing, unknown, or out of range, or
/// the format's version is another.
[[nodiscard]] State read_state(std::string_view json, const std::string& name);

}  // namespace trireme::checkpoint
