// What all reports for programs are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace trireme::report {

/// Keys stay in the order in which they are set.
using Json = nlohmann::ordered_json;

/// null where nothing is known.
template <typename T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace trireme::report
