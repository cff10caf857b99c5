// Whether this is still the process that it was, or a child that it has forked.
#pragma once

#include <sys/types.h>

namespace trireme {

/// Belongs to the process that makes it. A child that is forked gets a copy, which knows that it is one.
class OwnProcess {
 public:
  OwnProcess();
  ~OwnProcess();
  OwnProcess(const OwnProcess&) = delete;
  OwnProcess& operator=(const OwnProcess&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// Takes no time: the system is not asked.
  [[nodiscard]] bool is_here() const { return mark_ != nullptr ? *mark_ != 0 : asks_system(); }

 private:
  [[nodiscard]] bool asks_system() const;

  const pid_t id_;
  volatile char* mark_ = nullptr;  // in memory that is zero in a forked child; null: there is no such memory
};

}  // namespace trireme
