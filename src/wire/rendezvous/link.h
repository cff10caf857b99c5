// The two connections between a node and one of its peers.
#pragma once

#include "base/system/fd.h"

namespace trireme::wire::rendezvous {

/// Both are connected TCP sockets, nonblocking, with TCP_NODELAY, and the other end has proved that it
/// belongs to the job.
struct Link {
  Fd data;     ///< messages, in the order in which both ends post them
  Fd control;  ///< who leaves, and why: read at all times, so it never waits behind a message
};

}  // namespace trireme::wire::rendezvous
