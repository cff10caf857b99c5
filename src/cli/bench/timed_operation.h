// What `trireme bench` can time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace trireme::cli {

/// An operation, or nothing for a ping-pong: worker 0 sends worker 1 a message, which then sends one back; so
/// do 2 and 3, and so on. The last of an odd number of workers only meets the others at the barriers.
using TimedOperation = std::optional<plan::Operation>;

inline constexpr TimedOperation kPingPong = std::nullopt;

/// "allreduce" for a sum, "ping-pong", else the name of the operation.
[[nodiscard]] std::string_view bench_name(TimedOperation operation);
[[nodiscard]] std::vector<std::string_view> bench_names();
/// Parses what a user typed. Throws `Error` with the nearest known name.
[[nodiscard]] TimedOperation parse_timed_operation(std::string_view text);

/// The size of the smallest buffer: one float32, or one for each worker if each worker has its chunk.
[[nodiscard]] std::int64_t fewest_bytes(TimedOperation operation, std::int32_t workers);

/// The part of the buffer that goes over the busiest link at the least, as nccl-tests defines it.
[[nodiscard]] double part_on_link(TimedOperation operation, std::int32_t workers);

}  // namespace trireme::cli
