// Looks at other processes of this host: do they exist, are they stopped?
#pragma once

#include <sys/types.h>

namespace trireme {

enum class ProcessState { kGone, kStopped, kAlive };

/// Read from /proc. A process that has ended but was not waited for yet counts as gone.
[[nodiscard]] ProcessState state_of(pid_t process);

/// Reports when one process ends, even if its number is reused afterwards.
class ProcessWatch {
 public:
  /// A process that does not exist counts as ended.
  explicit ProcessWatch(pid_t process);
  ~ProcessWatch();
  ProcessWatch(ProcessWatch&& other) noexcept;
  ProcessWatch& operator=(ProcessWatch&& other) noexcept;

  [[nodiscard]] bool ended() const;

 private:
  pid_t process_;
  int fd_;  // -1: not open, because there are no descriptors left or no such process
};

}  // namespace trireme
