#include "wire/wire_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/error.h"

namespace trireme::wire {
namespace {

std::string refusal(std::string_view text, std::span<const WireKind> known) {
  try {
    static_cast<void>(parse_wire(text, "--wire", known));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WireKind, IsKnownByItsName) {
  for (const WireKind wire : all_wires()) EXPECT_EQ(parse_wire(name(wire), "--wire"), wire) << name(wire);
  EXPECT_EQ(all_wires().size(), 5U);
}

TEST(WireKind, ThatNobodyKnowsIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal("tpc", all_wires()), "--wire: there is no wire 'tpc'; did you mean tcp?");
  EXPECT_EQ(refusal("mixed", all_wires()),
            "--wire: there is no wire 'mixed'; give one of auto, threads, shm, tcp, mpi");
}

TEST(WireKind, IsRefusedWhereItIsNotOneOfThese) {
  constexpr std::array kTwo = {WireKind::kShm, WireKind::kTcp};
  EXPECT_EQ(refusal("shm", kTwo), "accepted");
  EXPECT_EQ(refusal("threads", kTwo), "--wire: there is no wire 'threads'; give one of shm, tcp");
}

}  // namespace
}  // namespace trireme::wire
