// Bytes on their way into a pipe whose reader may be slow, without ever waiting for it.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"

namespace trireme::launch {

class Outbox {
 public:
  explicit Outbox(Fd pipe);

  void add(std::string_view bytes) { waiting_ += bytes; }
  /// Writes what is taken at once. What nobody reads any more is thrown away.
  void write_some();

 private:
  Fd pipe_;
  std::string waiting_;
};

}  // namespace trireme::launch
