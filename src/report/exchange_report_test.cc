#include "report/exchange_report.h"

#include <gtest/gtest.h>

namespace trireme {
namespace {

struct Made {
  Plan plan;
  NodeNames names;
  Narrative story;

  [[nodiscard]] ExchangeReport report() const {
    return {plan.spec, names, closed_form(plan.spec), count(plan), &story.events, {}, nullptr, {}};
  }
};

Made make(Strategy strategy, const Values* values = nullptr) {
  PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = 4;
  spec.parameters = 4;
  if (strategy == Strategy::kParameterServer) spec.servers = 1;
  Made made{make_plan(spec), NodeNames(4, spec.servers), {}};
  made.story = narrate(made.plan, values);
  return made;
}

TEST(ExchangeJson, HoldsWhatTheContractNames) {
  const Made made = make(Strategy::kRing);
  const Json document = to_json(made.report());
  for (const char* key : {"strategy", "workers", "servers", "parameters", "messages", "message_elements",
                          "elements_total", "bytes_total", "steps", "formula", "verified", "nodes", "ops"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document["messages"], 24);
  EXPECT_EQ(document["bytes_total"], 96);
  EXPECT_EQ(document["formula"]["messages"], "2n(n−1)");
  EXPECT_EQ(document["ops"].size(), 24U);
  EXPECT_EQ(document["ops"][0],
            Json::parse(R"({"id":1,"step":1,"from":"A","to":"B","first":0,"count":1,"action":"add"})"));
  EXPECT_FALSE(document.contains("result"));
}

TEST(ExchangeJson, ListsEachMessageOnceInOrderAndNoFoldAmongThem) {
  for (const Strategy strategy : all_strategies()) {
    const Made made = make(strategy);
    const Json document = to_json(made.report());
    EXPECT_EQ(document["ops"].size(), document["messages"]) << name(strategy);
    int step = 1;
    for (const Json& op : document["ops"]) {
      EXPECT_NE(op["from"], op["to"]);
      EXPECT_GE(op["step"], step);
      step = op["step"];
    }
  }
}

TEST(ExchangeJson, SaysWhatEveryReceiverDoes) {
  const auto actions = [](Strategy strategy) {
    const Made made = make(strategy);
    std::string all;
    const Json document = to_json(made.report());
    for (const Json& op : document["ops"]) {
      const std::string action = op["action"];
      if (all.find(action) == std::string::npos) all += action + " ";
    }
    return all;
  };
  EXPECT_EQ(actions(Strategy::kAllToAll), "keep ");
  EXPECT_EQ(actions(Strategy::kParameterServer), "update copy ");
  EXPECT_EQ(actions(Strategy::kRing), "add copy ");
  EXPECT_EQ(actions(Strategy::kDirect), "keep copy ");
  EXPECT_EQ(actions(Strategy::kTree), "add copy ");
}

TEST(ExchangeJson, HoldsSumsInOpsAndResultsAndAveragesApart) {
  const Values values{{17, 11, 1, 9}, {5, 13, 23, 14}, {3, 6, 10, 8}, {12, 7, 2, 12.5}};
  const Made made = make(Strategy::kRing, &values);
  ExchangeReport report = made.report();
  report.results = &made.story.results;
  const Json document = to_json(report);
  EXPECT_EQ(document["ops"][0]["values"], Json::parse("[17]"));
  EXPECT_EQ(document["ops"][0]["after"], Json::parse("[22]"));
  EXPECT_EQ(document["result"]["D"], Json::parse("[37, 37, 36, 43.5]"));
  EXPECT_EQ(document["average"]["A"], Json::parse("[9.25, 9.25, 9, 10.875]"));
  EXPECT_EQ(document["result"]["A"].dump(), "[37,37,36,43.5]");
}

TEST(ExchangeJson, OfAPlanThatWasNotMadeDoesNotClaimToBeVerified) {
  const Made made = make(Strategy::kRing);
  ExchangeReport report = made.report();
  report.tally.reset();
  report.events = nullptr;
  const Json document = to_json(report);
  EXPECT_TRUE(document["verified"].is_null());
  EXPECT_FALSE(document.contains("ops"));
  EXPECT_FALSE(document.contains("nodes"));
}

TEST(ExchangeJson, IsPrintedAsOneDocumentThatReadsBack) {
  const Made made = make(Strategy::kDirect);
  const Json document = to_json(made.report());
  EXPECT_EQ(Json::parse(document_text(document)), document);
}

}  // namespace
}  // namespace trireme
