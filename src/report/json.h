// The JSON type that all reports for programs use.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace trireme::report {

/// Keys stay in the order in which they are set.
using Json = nlohmann::ordered_json;

/// null if the value is not known.
template <typename T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace trireme::report
