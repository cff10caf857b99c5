// The agent, which ssh starts on each host of a job over several. It starts that host's nodes.
#pragma once

namespace trireme::launch::ssh {

/// Takes its task and its orders from standard input (`launch/ssh/host_task.h`) and answers on standard
/// output (`launch/ssh/agent_word.h`), where also the nodes' lines go, each with its rank. When standard
/// input ends, the launcher or the way to it is gone: the nodes are ended as by SIGTERM.
///
/// Returns the exit status: 0 when all nodes ended well, 1 when one failed, 2 when none could be started, 130
/// when they were told to end.
[[nodiscard]] int run_agent();

}  // namespace trireme::launch::ssh
