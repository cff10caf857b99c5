// The one place where a failing node tells the others: it leaves the wire with the reason, and the exception
// propagates.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "wire/wire.h"

namespace trireme::wire {

/// Runs `body` and returns its result. If it throws, `complete(failure)` adds what the failure does not say
/// yet, this node leaves the wire, and the exception propagates: an `Error` with the completed failure, any
/// other unchanged.
template <typename Body, typename Complete>
auto or_leave(Wire& wire, Body&& body, Complete&& complete) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    Failure failure = error.failure();
    complete(failure);
    wire.leave(failure);
    throw Error(std::move(failure));
  } catch (const std::exception& exception) {
    Failure failure = failure_of(exception);
    complete(failure);
    wire.leave(failure);
    throw;
  }
}

/// The same; the failure says `during`, unless it already names an op.
template <typename Body>
auto or_leave_during(std::string_view during, Wire& wire, Body&& body) {
  return or_leave(wire, std::forward<Body>(body), [&](Failure& failure) {
    if (failure.op.empty()) failure.op = during;
  });
}

}  // namespace trireme::wire
