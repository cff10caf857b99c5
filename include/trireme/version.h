// The version of these headers and of the library, and the macros of all public names.
#pragma once

#if __cplusplus < 202002L
#error "Trireme needs C++20: compile with -std=c++20"
#endif

#define TRIREME_VERSION_MAJOR 0
#define TRIREME_VERSION_MINOR 1
#define TRIREME_VERSION_PATCH 0
#define TRIREME_VERSION "0.1.0"

/// Public names are in an inline namespace of this name inside `trireme`, so that objects that were compiled
/// with another version do not link with this one by accident.
#define TRIREME_ABI v0_1

/// Public names are the only ones that a shared library shows.
#define TRIREME_API __attribute__((visibility("default")))

namespace trireme {
inline namespace TRIREME_ABI {

/// "0.1.0": the version of the library that is linked; TRIREME_VERSION is that of the headers.
[[nodiscard]] TRIREME_API const char* version() noexcept;

}  // namespace TRIREME_ABI
}  // namespace trireme
