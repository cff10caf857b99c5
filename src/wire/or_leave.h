// The one place where a node that fails tells the others: it leaves the wire with the reason, and the
// exception goes on.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "wire/wire.h"

namespace trireme::wire {

/// Runs `body` and returns what it returns. If it throws, `complete(failure)` fills in what the failure does
/// not say yet, this node leaves the wire, and the exception goes on: an `Error` with the completed failure,
/// any other as it is.
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

/// The same; the failure says `during`, unless it names an op already.
template <typename Body>
auto or_leave_during(std::string_view during, Wire& wire, Body&& body) {
  return or_leave(wire, std::forward<Body>(body), [&](Failure& failure) {
    if (failure.op.empty()) failure.op = during;
  });
}

}  // namespace trireme::wire
