#include "plan/explain/node_names.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::plan {
namespace {

template <typename Make>
std::string message_of(Make make) {
  try {
    (void)make();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NodeNames, AreLettersAndThenPairsOfLetters) {
  const NodeNames names(1000, 0);
  EXPECT_EQ(names.of(0), "A");
  EXPECT_EQ(names.of(25), "Z");
  EXPECT_EQ(names.of(26), "AA");
  EXPECT_EQ(names.of(701), "ZZ");
  EXPECT_EQ(names.of(702), "AAA");
}

TEST(NodeNames, AreFoundAgain) {
  const NodeNames names(1000, 3);
  for (Rank rank = 0; rank < 1003; ++rank) EXPECT_EQ(names.find(names.of(rank)), rank);
}

TEST(NodeNames, OfNobodyAreNotFound) {
  const NodeNames names(4, 2);
  for (const char* name : {"E", "", "a", "S0", "S3", "S", "S1x", "AAAAAAAAAA", "1"}) {
    EXPECT_EQ(names.find(name), std::nullopt) << name;
  }
}

TEST(NodeNames, ServersAreCountedFromOne) {
  const NodeNames names(4, 2);
  EXPECT_EQ(names.of(4), "S1");
  EXPECT_EQ(names.find("S2"), 5);
}

TEST(NodeNames, MayBeGiven) {
  const NodeNames names({"left", "right"}, 1);
  EXPECT_EQ(names.of(1), "right");
  EXPECT_EQ(names.of(2), "S1");
  EXPECT_EQ(names.find("left"), 0);
  EXPECT_EQ(names.find("A"), std::nullopt);
}

TEST(NodeNames, MustBeDifferentFromEachOtherAndFromServers) {
  EXPECT_EQ(message_of([] {
              return NodeNames({"x", "x"}, 0);
            }),
            "two workers are called x; give one of them another name");
  EXPECT_EQ(message_of([] {
              return NodeNames({"x", "S1"}, 1);
            }),
            "a worker is called S1, like a server; give it another name");
  EXPECT_EQ(message_of([] { return NodeNames({"x", ""}, 0); }), "worker 2 has no name");
  EXPECT_EQ(message_of([] { return NodeNames({"x", "S2"}, 1); }), "accepted");
}

TEST(NodeNames, MakeARingOrder) {
  const NodeNames names(4, 1);
  EXPECT_EQ(parse_order("A,B,D,C", "--order", 4, names).ranks(), (std::vector<Rank>{0, 1, 3, 2}));
  EXPECT_EQ(parse_order(" D , C,B,A", "--order", 4, names).ranks(), (std::vector<Rank>{3, 2, 1, 0}));
}

TEST(NodeNames, MakeARingOrderOnlyWithEachWorkerOnce) {
  const NodeNames names(4, 1);
  const auto refusal = [&](const char* text) {
    return message_of([&] { return parse_order(text, "--order", 4, names); });
  };
  EXPECT_EQ(refusal("A,B,B,C"), "--order: worker B appears twice; name each worker once");
  EXPECT_EQ(refusal("A,B,C"), "--order: worker D is missing; name each worker once");
  EXPECT_EQ(refusal("A,B,C,E"), "--order: there is no worker 'E'; name each of A to D once");
  EXPECT_EQ(refusal("A,B,C,S1"), "--order: there is no worker 'S1'; name each of A to D once");
  EXPECT_EQ(refusal(""), "--order: there is no worker ''; name each of A to D once");
}

}  // namespace
}  // namespace trireme::plan
