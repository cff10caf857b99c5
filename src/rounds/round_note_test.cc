#include "rounds/round_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "exec/fabrics_test_util.h"

namespace trireme::rounds {
namespace {

const wire::Members kAll(8);

RoundNote note(RoundKind kind, std::int64_t samples = RoundNote::kNotSaid) {
  RoundNote made;
  made.kind = kind;
  made.samples = samples;
  made.is_worker = true;
  return made;
}

std::string refusal(std::vector<RoundNote> notes) {
  try {
    static_cast<void>(round_of(notes, kAll, 0));
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kMismatch);
    return error.what();
  }
  return "";
}

TEST(Round, DividesByWorkersOrBySamplesOfThoseThatAreLeft) {
  const auto divisor = [](std::vector<RoundNote> notes) { return round_of(notes, kAll, 0).divisor; };
  EXPECT_EQ(divisor({note(RoundKind::kAverage), note(RoundKind::kAverage)}), 2);
  EXPECT_EQ(divisor({note(RoundKind::kAverage), note(RoundKind::kFollow)}), 1);
  EXPECT_EQ(divisor({note(RoundKind::kAverage, 64), note(RoundKind::kAverage, 32)}), 96);
  EXPECT_EQ(divisor({note(RoundKind::kAverage, 64), note(RoundKind::kAverage)}), 65);
  EXPECT_EQ(divisor({note(RoundKind::kAverage, 64), note(RoundKind::kFollow, 99)}), 64);
  EXPECT_EQ(divisor({note(RoundKind::kAverage, 0), note(RoundKind::kAverage, 0)}), 1);
}

TEST(Round, IsOverWhenNobodyIsLeft) {
  const std::vector<RoundNote> notes{note(RoundKind::kFollow), note(RoundKind::kFollow)};
  EXPECT_EQ(round_of(notes, kAll, 0).kind, RoundKind::kFollow);
}

TEST(Round, IsLedByTheFirstThatIsLeft) {
  const std::vector<RoundNote> notes{note(RoundKind::kFollow), note(RoundKind::kSum), note(RoundKind::kSum)};
  EXPECT_EQ(round_of(notes, kAll, 0).kind, RoundKind::kSum);
  EXPECT_EQ(round_of(notes, kAll, 0).leader, 1);
  EXPECT_TRUE(round_of(notes, kAll, 0).uneven);
}

TEST(Round, IsEvenThoughServersFollow) {
  std::vector<RoundNote> notes{note(RoundKind::kSum), note(RoundKind::kSum), note(RoundKind::kFollow)};
  notes.back().is_worker = false;
  EXPECT_FALSE(round_of(notes, kAll, 0).uneven);
}

TEST(Round, RefusesWorkersThatAreAtSomethingElse) {
  EXPECT_THAT(refusal({note(RoundKind::kAverage), note(RoundKind::kSum)}),
              testing::HasSubstr("rank 0 is at an average, rank 1 is at a sum of 0 numbers"));
  RoundNote other_rule = note(RoundKind::kStep);
  other_rule.rule.rate = 0.5;
  EXPECT_THAT(refusal({note(RoundKind::kStep), note(RoundKind::kFollow), other_rule}),
              testing::HasSubstr("rank 2 is at a step by sgd with rate 0.5"));
  RoundNote other_exchange = note(RoundKind::kFollow);
  other_exchange.exchange = 1;
  EXPECT_THAT(refusal({note(RoundKind::kStep), other_exchange}),
              testing::HasSubstr("rank 1 is finished in exchange 2"));
}

TEST(Round, TrainsOtherParametersIfOneWorkerSaysSo) {
  std::vector<RoundNote> notes{note(RoundKind::kGradients), note(RoundKind::kGradients)};
  EXPECT_FALSE(round_of(notes, kAll, 0).trains_others);
  notes[1].trains_others = true;
  EXPECT_TRUE(round_of(notes, kAll, 0).trains_others);
}

TEST(Round, LacksNoGradientsWhereOneWorkerHasThemAll) {
  std::vector<RoundNote> notes{note(RoundKind::kStep), note(RoundKind::kStep), note(RoundKind::kFollow)};
  EXPECT_FALSE(round_of(notes, kAll, 0).lacks_gradients);
  notes[0].lacks_gradients = true;
  EXPECT_FALSE(round_of(notes, kAll, 0).lacks_gradients);
  notes[1].lacks_gradients = true;
  EXPECT_TRUE(round_of(notes, kAll, 0).lacks_gradients);
}

RoundNote with_gradients(RoundNote note) {
  note.with_gradients = true;
  return note;
}

TEST(Round, IsOneOfGradientsAndOfWhatTheyAreForWhereAllKnowIt) {
  const std::vector<RoundNote> notes{with_gradients(note(RoundKind::kStep, 64)), note(RoundKind::kFollow),
                                     with_gradients(note(RoundKind::kStep, 32))};
  const Round round = round_of(notes, kAll, 0);
  EXPECT_EQ(round.kind, RoundKind::kStep);
  EXPECT_TRUE(round.with_gradients);
  EXPECT_EQ(round.divisor, 96);
}

TEST(Round, IsOfGradientsAloneWhereAnybodyDoesNotKnowWhatTheyAreFor) {
  std::vector<RoundNote> notes{with_gradients(note(RoundKind::kStep, 64)), note(RoundKind::kGradients, 32),
                               with_gradients(note(RoundKind::kAverage, 4))};
  notes[0].lacks_gradients = notes[2].lacks_gradients = true;
  const Round round = round_of(notes, kAll, 0);
  EXPECT_EQ(round.kind, RoundKind::kGradients);
  EXPECT_FALSE(round.with_gradients);
  EXPECT_FALSE(round.lacks_gradients);
  EXPECT_EQ(round.divisor, 100);
}

TEST(Round, RefusesWorkersOfWhichOnlySomeHaveExchangedTheirGradients) {
  EXPECT_NE(refusal({with_gradients(note(RoundKind::kAverage)), note(RoundKind::kAverage)}), "");
  EXPECT_THAT(refusal({with_gradients(note(RoundKind::kAverage)), with_gradients(note(RoundKind::kStep))}),
              testing::HasSubstr("rank 0 is at an average, rank 1 is at a step"));
}

TEST(Round, IsAgreedOnByAll) {
  for (const exec::Fabric fabric :
       {exec::Fabric::kThreads, exec::Fabric::kShmThreads, exec::Fabric::kTcpThreads}) {
    exec::run_on(fabric, 3, [&](wire::Wire& wire) {
      for (int i = 0; i < 5; ++i) {
        const RoundNote own = wire.rank() == 1 ? note(RoundKind::kFollow) : note(RoundKind::kAverage, i);
        EXPECT_EQ(agree_on_round(wire, own, exec::in_time()).divisor, std::max(1, 2 * i));
      }
    });
  }
}

}  // namespace
}  // namespace trireme::rounds
