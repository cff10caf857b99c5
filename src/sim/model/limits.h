// What a simulation may take: said before it begins, not when the memory is full.
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/plan.h"

namespace trireme::sim {

/// Throws `Error` (bad input) where there are more than 2,000,000,000 of these things, with one thing to try.
void require_few(double number, std::string_view things, std::string_view hint);

/// About as much memory as nodes and their messages under way take at once.
[[nodiscard]] double working_bytes(const plan::PlanSpec& spec);

/// Of this host, for a new program; as much as there can be where nothing says.
[[nodiscard]] std::int64_t available_memory();

/// Throws `Error` (bad input) where there are less.
void require_memory(double bytes, std::int64_t available);

}  // namespace trireme::sim
