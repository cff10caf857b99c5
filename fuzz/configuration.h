// Shared by the fuzzers of configurations: a file and words after --set from one input, and the rules that a
// refusal must follow.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trireme {

/// The input up to the first zero byte is a file; each part after that, up to the next zero byte, is a --set.
struct ConfigurationInput {
  std::string_view text;
  std::vector<std::string> sets;
};

inline ConfigurationInput split_input(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  ConfigurationInput input{rest.substr(0, rest.find('\0')), {}};
  for (rest.remove_prefix(input.text.size()); !rest.empty(); rest.remove_prefix(input.sets.back().size())) {
    rest.remove_prefix(1);
    input.sets.emplace_back(rest.substr(0, rest.find('\0')));
  }
  return input;
}

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// The input is accepted, or refused as bad input with one thing to try and no characters that disturb a
/// terminal.
template <typename Try>
void try_or_refuse(const Try& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    require(error.failure().cause == Failure::Cause::kBadInput && !error.failure().hint.empty());
    require(printable(error.what()) == error.what());
  }
}

}  // namespace trireme
