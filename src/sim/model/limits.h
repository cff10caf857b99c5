// Limits of a simulation, checked before it begins and not when memory runs out.
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/plan.h"

namespace trireme::sim {

/// Throws `Error` (bad input) with one thing to try if `number` exceeds 2,000,000,000.
void require_few(double number, std::string_view things, std::string_view hint);

/// An estimate of the memory that nodes and their messages under way use at once.
[[nodiscard]] double working_bytes(const plan::PlanSpec& spec);

/// The memory of this host that a new program can use; the largest number if the system does not say.
[[nodiscard]] std::int64_t available_memory();

/// Throws `Error` (bad input) if less than `bytes` is available.
void require_memory(double bytes, std::int64_t available);

}  // namespace trireme::sim
