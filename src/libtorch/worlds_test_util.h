// Workers of a test: Worlds on any wire, in the threads of one process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/world_impl.h"
#include "exec/fabrics_test_util.h"

namespace trireme::libtorch {

/// A worker's place on a wire that the test has made.
class OnWire final : public world::Connection {
 public:
  explicit OnWire(wire::Wire& wire) : wire_(wire) {}
  [[nodiscard]] wire::Wire& wire() override { return wire_; }
  [[nodiscard]] std::string in_words() const override { return "in a test"; }

 private:
  wire::Wire& wire_;
};

inline World world_on(wire::Wire& wire) {
  return WorldAccess::make(std::make_unique<OnWire>(wire), std::chrono::seconds(20));
}

inline void on_workers(exec::Fabric fabric, Rank workers, const std::function<void(World&)>& body) {
  exec::run_on(fabric, workers, [&](wire::Wire& wire) {
    World world = world_on(wire);
    body(world);
  });
}

}  // namespace trireme::libtorch
