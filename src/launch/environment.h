// Every environment variable that a job knows. The launcher sets them for each process that it starts, and
// `find_world` reads them there.
#pragma once

namespace trireme::environment {

/// The number of this node: 0 … size − 1. Always together with the size.
inline constexpr const char* kRank = "TRIREME_RANK";

/// How many nodes take part: at least 1.
inline constexpr const char* kSize = "TRIREME_SIZE";

/// The deadline of one exchange, in seconds as a decimal number; whatever `--timeout` takes is understood
/// too. `trireme launch` without `--timeout` takes it from here, if it is set.
inline constexpr const char* kTimeout = "TRIREME_TIMEOUT";

/// The number of an inherited file descriptor: memory that all nodes of the job on this host share. Not set
/// where there is none.
inline constexpr const char* kSegment = "TRIREME_SEGMENT";

/// All of them. What a launcher finds of these in its own environment belongs to an outer job, and is not
/// passed on.
inline constexpr const char* kAll[] = {kRank, kSize, kTimeout, kSegment};

}  // namespace trireme::environment
