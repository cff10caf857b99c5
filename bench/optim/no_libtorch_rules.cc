#include "peer.h"

namespace rules_bench {

std::vector<Peer> peers(std::int64_t) { return {}; }

std::string peer_version() { return ""; }

}  // namespace rules_bench
