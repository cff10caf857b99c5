#include "report/exchange_report.h"

#include <gtest/gtest.h>

#include "plan/strategies/strategies.h"

namespace trireme::report {
namespace {

struct Made {
  plan::Plan plan;
  plan::NodeNames names;
  plan::Narrative story;

  [[nodiscard]] ExchangeReport report() const {
    return {plan.spec, names, plan::closed_form(plan.spec), plan::count(plan), &story.events, {},
            nullptr,   {}};
  }
};

Made make(plan::Strategy strategy, const plan::Values* values = nullptr) {
  plan::PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = 4;
  spec.parameters = 4;
  if (strategy == plan::Strategy::kParameterServer) spec.servers = 1;
  Made made{plan::make_plan(spec), plan::NodeNames(4, spec.servers), {}};
  made.story = plan::narrate(made.plan, values);
  return made;
}

TEST(ExchangeJson, HoldsWhatTheContractNames) {
  const Made made = make(plan::Strategy::kRing);
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
  for (const plan::Strategy strategy : plan::all_strategies()) {
    const Made made = make(strategy);
    const Json document = to_json(made.report());
    EXPECT_EQ(document["ops"].size(), document["messages"]) << plan::name(strategy);
    int step = 1;
    for (const Json& op : document["ops"]) {
      EXPECT_NE(op["from"], op["to"]);
      EXPECT_GE(op["step"], step);
      step = op["step"];
    }
  }
}

TEST(ExchangeJson, SaysWhatEveryReceiverDoes) {
  const auto actions = [](plan::Strategy strategy) {
    const Made made = make(strategy);
    std::string all;
    const Json document = to_json(made.report());
    for (const Json& op : document["ops"]) {
      const std::string action = op["action"];
      if (all.find(action) == std::string::npos) all += action + " ";
    }
    return all;
  };
  EXPECT_EQ(actions(plan::Strategy::kAllToAll), "keep ");
  EXPECT_EQ(actions(plan::Strategy::kParameterServer), "update copy ");
  EXPECT_EQ(actions(plan::Strategy::kRing), "add copy ");
  EXPECT_EQ(actions(plan::Strategy::kDirect), "keep copy ");
  EXPECT_EQ(actions(plan::Strategy::kTree), "add copy ");
}

TEST(ExchangeJson, HoldsSumsInOpsAndResultsAndAveragesApart) {
  const plan::Values values{{17, 11, 1, 9}, {5, 13, 23, 14}, {3, 6, 10, 8}, {12, 7, 2, 12.5}};
  const Made made = make(plan::Strategy::kRing, &values);
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
  const Made made = make(plan::Strategy::kRing);
  ExchangeReport report = made.report();
  report.tally.reset();
  report.events = nullptr;
  const Json document = to_json(report);
  EXPECT_TRUE(document["verified"].is_null());
  EXPECT_FALSE(document.contains("ops"));
  EXPECT_FALSE(document.contains("nodes"));
}

TEST(ExchangeJson, NamesTheOrderAndTheNodeThatWereAskedFor) {
  Made made = make(plan::Strategy::kRing);
  EXPECT_FALSE(to_json(made.report()).contains("order"));
  EXPECT_FALSE(to_json(made.report()).contains("node"));
  made.plan.spec.order = plan::RingOrder({0, 1, 3, 2});
  ExchangeReport report = made.report();
  report.node = 3;
  EXPECT_EQ(to_json(report)["order"], Json::parse(R"(["A", "B", "D", "C"])"));
  EXPECT_EQ(to_json(report)["node"], "D");
  EXPECT_EQ(to_json(report)["element_bytes"], 4);
}

TEST(ExchangeJson, OfAComparisonSaysWhichStrategyIsTooLarge) {
  const Made made = make(plan::Strategy::kRing);
  ExchangeReport report = made.report();
  report.too_large = "far too much";
  const Json row = compare_json({made.report(), report})["strategies"][1];
  EXPECT_EQ(row["error"], "far too much");
  EXPECT_FALSE(row.contains("messages"));
}

TEST(ExchangeText, OfAComparisonSaysWhatIsComparedAndHowFarItWasChecked) {
  const Made made = make(plan::Strategy::kParameterServer);
  ExchangeReport by_formula = made.report();
  by_formula.tally.reset();
  ExchangeReport too_large = by_formula;
  too_large.too_large = "far too much";
  EXPECT_EQ(compare_text({made.report()}),
            "4 workers, 4 parameters of float32, 1 server\n\n"
            "strategy          messages  size of each  elements      bytes  steps  checked\n"
            "parameter-server         8             4        32  128 bytes      2  verified\n");
  EXPECT_NE(compare_text({by_formula}).find("2  by formula\n"), std::string::npos);
  EXPECT_NE(compare_text({too_large}).find("\nparameter-server  too large\n"), std::string::npos);
}

TEST(ExchangeText, SaysWhichElementsTheChunksHold) {
  const auto holds = [](const Made& made, const char* line) {
    return to_text(made.report()).find(line) != std::string::npos;
  };
  EXPECT_TRUE(holds(make(plan::Strategy::kRing), "\nchunks: 0: element 0, 1: 1, 2: 2, 3: 3\n"));
  EXPECT_TRUE(holds(make(plan::Strategy::kHalvingDoubling), "\nchunks: "));
  for (const plan::Strategy whole :
       {plan::Strategy::kAllToAll, plan::Strategy::kParameterServer, plan::Strategy::kTree}) {
    EXPECT_FALSE(holds(make(whole), "\nchunks: ")) << plan::name(whole);
    EXPECT_FALSE(holds(make(whole), "\nshares: ")) << plan::name(whole);
  }
}

TEST(ExchangeText, PointsToJsonOnlyWhereItWouldListTheMessages) {
  const Made made = make(plan::Strategy::kAllToAll);
  const std::vector<plan::Event> many(100, made.story.events.front());
  ExchangeReport report = made.report();
  report.events = &many;
  EXPECT_NE(to_text(report).find("with --node A, or all of them with --json\n"), std::string::npos);
  report.formula.messages = kMostMessagesToList + 1;
  EXPECT_NE(to_text(report).find("with --node A\n"), std::string::npos);
}

TEST(ExchangeJson, IsPrintedAsOneDocumentThatReadsBack) {
  const Made made = make(plan::Strategy::kDirect);
  const Json document = to_json(made.report());
  EXPECT_EQ(Json::parse(document_text(document)), document);
}

}  // namespace
}  // namespace trireme::report
