// libtorch's own optimizers, on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rules_bench {

/// One optimizer with a parameter and a gradient of its own.
struct Peer {
  std::string rule;  ///< that it is compared with
  std::function<void()> step;
};

/// None if libtorch is not there.
std::vector<Peer> peers(std::int64_t count);

/// "libtorch 1.13.0", or empty.
std::string peer_version();

}  // namespace rules_bench
