// Workers of a test: Worlds on any wire, in the threads of one process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/world_impl.h"
#include "exec/fabrics_test_util.h"

namespace trireme {

/// A worker's place on a wire that the test has made.
class OnWire final : public Connection {
 public:
  explicit OnWire(Wire& wire) : wire_(wire) {}
  [[nodiscard]] Wire& wire() override { return wire_; }
  [[nodiscard]] std::string in_words() const override { return "in a test"; }

 private:
  Wire& wire_;
};

inline World world_on(Wire& wire) {
  return WorldAccess::make(std::make_unique<OnWire>(wire), std::chrono::seconds(20));
}

inline void on_workers(Fabric fabric, Rank workers, const std::function<void(World&)>& body) {
  run_on(fabric, workers, [&](Wire& wire) {
    World world = world_on(wire);
    body(world);
  });
}

}  // namespace trireme
