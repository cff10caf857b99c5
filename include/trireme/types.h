// The types that all headers share.
#pragma once

#include <trireme/version.h>

#include <cstdint>

namespace trireme {
inline namespace TRIREME_ABI {

/// A node's number. Workers come first (0 … n−1), dedicated servers after them.
using Rank = std::int32_t;

/// The name of one transfer, the same at both of its ends, in a plan, on a wire and in a trace.
using OpId = std::int64_t;

}  // namespace TRIREME_ABI
}  // namespace trireme
