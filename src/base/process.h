// Looks at other processes of this host: are they there, are they stopped?
#pragma once

#include <sys/types.h>

namespace trireme {

enum class ProcessState { kGone, kStopped, kAlive };

/// From /proc. A process that has ended but was not yet waited for is gone.
[[nodiscard]] ProcessState state_of(pid_t process);

/// Tells when one process ends, even if its number is used again afterwards.
class ProcessWatch {
 public:
  /// A process that is not there counts as ended.
  explicit ProcessWatch(pid_t process);
  ~ProcessWatch();
  ProcessWatch(ProcessWatch&& other) noexcept;
  ProcessWatch& operator=(ProcessWatch&& other) noexcept;

  [[nodiscard]] bool ended() const;

 private:
  pid_t process_;
  int fd_;  // -1: there is none, for lack of descriptors or of the process
};

}  // namespace trireme
