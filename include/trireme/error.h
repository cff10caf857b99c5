// The one exception that Trireme throws. It says what happened, where, to whom, after how long, and one
// thing to try.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include <trireme/types.h>

namespace trireme {
inline namespace TRIREME_ABI {

/// Everything known about a failure. Only `what` is always there; code that catches and rethrows it fills in
/// what it knows.
struct Failure {
  enum class Cause {
    kBadInput,  ///< the command line, a file or an argument is wrong: exit code 2
    kTimeout,   ///< the deadline passed
    kPeerLost,  ///< another node left, died or gave up
    kMismatch,  ///< nodes or counters disagree about what was to be done
    kFailed,    ///< this node failed by itself: an exception, a full disk, a loss that is not a number
  };

  Cause cause = Cause::kBadInput;
  std::string what;             ///< one sentence without a full stop
  std::optional<Rank> rank;     ///< the node that reports
  std::optional<Rank> peer;     ///< the node that was waited for, or that failed
  std::optional<Rank> culprit;  ///< the node at the root of it, as far as can be told; often not the peer
  std::optional<OpId> op_id;    ///< the transfer, as the wire knows it
  std::string op;               ///< the same in words: "step 3 of ring: receive chunk 2 from rank 1"
  std::optional<std::chrono::nanoseconds> elapsed;
  std::string hint;  ///< one thing to try
};

class TRIREME_API Error : public std::runtime_error {
 public:
  explicit Error(Failure failure);

  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// An `Error` for input that a person can correct.
[[nodiscard]] TRIREME_API Error bad_input(std::string what, std::string hint = {});

/// The failure of an `Error`. Any other exception gives its text, with the cause `kFailed`.
[[nodiscard]] TRIREME_API Failure failure_of(const std::exception& exception);

/// The whole failure in one line, as `Error::what()` gives it.
[[nodiscard]] TRIREME_API std::string to_string(const Failure& failure);

}  // namespace TRIREME_ABI
}  // namespace trireme
