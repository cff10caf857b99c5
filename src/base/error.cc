#include "base/error.h"

#include <fmt/format.h>

#include <utility>

namespace trireme {
inline namespace TRIREME_ABI {

std::string to_string(const Failure& failure) {
  std::string text;
  if (failure.rank) text += fmt::format("rank {}: ", *failure.rank);
  if (!failure.op.empty()) text += failure.op + ": ";
  text += failure.what;
  if (failure.elapsed) {
    text += fmt::format(" (after {:.3f} s)", std::chrono::duration<double>(*failure.elapsed).count());
  }
  if (!failure.hint.empty()) text += "; " + failure.hint;
  return text;
}

Error::Error(Failure failure) : std::runtime_error(to_string(failure)), failure_(std::move(failure)) {}

Error bad_input(std::string what, std::string hint) {
  Failure failure;
  failure.what = std::move(what);
  failure.hint = std::move(hint);
  return Error(std::move(failure));
}

Failure failure_of(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return error->failure();
  Failure failure;
  failure.cause = Failure::Cause::kFailed;
  failure.what = exception.what();
  return failure;
}

}  // namespace TRIREME_ABI
}  // namespace trireme
