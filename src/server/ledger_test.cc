#include "server/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numeric>
#include <set>

#include "base/error.h"
#include "rounds/round_note.h"
#include "server/ledger_test_util.h"
#include "server/modes_test_util.h"

namespace trireme::server {
namespace {

using plan::Mode;
using testing::ElementsAre;
using testing::IsEmpty;

Rank any_of(const std::vector<Rank>& ranks) { return ranks[*rc::gen::inRange<std::size_t>(0, ranks.size())]; }

/// Some workers are much faster than others.
class UnevenTurns {
 public:
  explicit UnevenTurns(Rank workers) : speeds_(idx(workers)) {
    for (int& speed : speeds_) speed = *rc::gen::element(1, 3, 20);
  }
  Rank operator()(const std::vector<Rank>& ranks) const {
    std::vector<Rank> turns;
    for (const Rank rank : ranks) turns.insert(turns.end(), idx(speeds_[idx(rank)]), rank);
    return any_of(turns);
  }

 private:
  std::vector<int> speeds_;
};

std::vector<std::int64_t> numbers_of(const std::vector<schedule::Write>& writes) {
  std::vector<std::int64_t> numbers;
  for (const schedule::Write& write : writes) numbers.push_back(write.gradient);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<std::int64_t> numbers_between(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(end - first));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// ---- async

RC_GTEST_PROP(AsyncLedger, KeepsTheLawOfStalenessInEveryOrder, ()) {
  const Rank workers = *rc::gen::inRange(1, 7);
  const std::int64_t gradients = workers * *rc::gen::inRange<std::int64_t>(1, 8);
  Pushing pushing({kAsync, workers});
  std::int64_t first = 0;
  std::int64_t sum = 0;
  for (int phase = 0; phase < 2; ++phase) {
    pushing.begin({.first = first, .gradients = gradients, .records = true});
    pushing.run(UnevenTurns(workers));
    RC_ASSERT(pushing.is_over());
    sum += law(workers, gradients);
    RC_ASSERT(pushing.ledger().stale().sum() == sum);
    RC_ASSERT(pushing.ledger().stale().updates() == first + gradients);
    RC_ASSERT(pushing.ledger().version() == first + gradients);
    RC_ASSERT(numbers_of(pushing.ledger().take_writes()) == numbers_between(first, first + gradients));
    first += gradients;
  }
}

RC_GTEST_PROP(AsyncLedger, HandsOutEveryNumberOnceWhateverIsSentAgain, ()) {
  const Rank workers = *rc::gen::inRange(1, 5);
  const std::int64_t gradients = workers * *rc::gen::inRange<std::int64_t>(1, 8);
  Pushing pushing({kAsync, workers});
  pushing.begin({.first = 0, .gradients = gradients, .records = true});
  std::int64_t duplicates = 0;
  while (!pushing.is_over()) {
    const Rank rank = any_of(pushing.ready());
    pushing.go_on(rank);
    if (pushing.of(rank).has_left || !*rc::gen::arbitrary<bool>()) continue;
    RC_ASSERT(pushing.push_again(rank) == Fate::kDuplicate);
    ++duplicates;
  }
  RC_ASSERT(numbers_of(pushing.ledger().take_writes()) == numbers_between(0, gradients));
  RC_ASSERT(pushing.ledger().duplicates() == duplicates);
  RC_ASSERT(pushing.ledger().stale().updates() == gradients);
}

TEST(AsyncLedger, CountsWhatWasAppliedBetweenReadingAndApplying) {
  Pushing pushing({kAsync, 3});
  pushing.begin({.first = 0, .gradients = 6, .records = true});
  for (const Rank rank : {1, 1, 0, 1, 2, 0}) EXPECT_EQ(pushing.push(rank), Fate::kApply);
  EXPECT_EQ(pushing.ledger().stale().histogram,
            (std::map<std::int64_t, std::int64_t>{{0, 2}, {1, 1}, {2, 2}, {4, 1}}));
  EXPECT_EQ(pushing.ledger().stale().most(), 4);
  EXPECT_EQ(pushing.ledger().stale().sum(), law(3, 6));
  const std::vector<schedule::Write> writes = pushing.ledger().take_writes();
  EXPECT_EQ(writes[3], (schedule::Write{.worker = 1, .gradient = 4, .read = 2, .version = 4}));
  EXPECT_EQ(writes[4], (schedule::Write{.worker = 2, .gradient = 2, .read = 0, .version = 5}));
}

TEST(AsyncLedger, LeavesNumbersToTheServerThatHandsThemOut) {
  Ledger ledger({kAsync, 2, 1, /*dispenses=*/false});
  ledger.begin({.first = 0, .gradients = 100});
  EXPECT_EQ(ledger.push(0, {.sequence = 1, .gradient = 0}), Fate::kApply);
  ledger.applied();
  EXPECT_EQ(ledger.answer(0).next, AnswerNote::kNone);
}

TEST(AsyncLedger, RecordsNothingInAPhaseThatDoesNotWantIt) {
  Pushing pushing({kAsync, 1});
  pushing.begin({.first = 0, .gradients = 2});
  EXPECT_EQ(pushing.push(0), Fate::kApply);
  EXPECT_THAT(pushing.ledger().take_writes(), IsEmpty());
}

TEST(AsyncLedger, TellsTheMeanOfTheLastLossesOfAsManyAsThereAreWorkers) {
  Ledger ledger({kAsync, 2});
  ledger.begin({});
  for (const std::int64_t k : {1, 2, 3}) {
    EXPECT_EQ(ledger.push(0, {.sequence = k, .loss = static_cast<double>(8 * k)}), Fate::kApply);
    ledger.applied();
    static_cast<void>(ledger.take_released());
  }
  EXPECT_EQ(ledger.answer(0).loss, 20);
}

// ---- ssp

RC_GTEST_PROP(SspLedger, LetsNoWorkerMoreThanItsSlackAhead, ()) {
  const Rank workers = *rc::gen::inRange(1, 7);
  const std::int32_t slack = *rc::gen::inRange(1, 5);
  const std::int64_t steps = *rc::gen::inRange<std::int64_t>(1, 12);
  Pushing pushing({ssp(slack), workers});
  pushing.begin({.first = 0, .gradients = steps * workers, .records = true});
  const UnevenTurns turns(workers);
  while (!pushing.is_over()) {
    const std::vector<Rank> ready = pushing.ready();
    RC_ASSERT(!ready.empty());
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (Rank rank = 0; rank < workers; ++rank) {
      if (!pushing.of(rank).has_left) slowest = std::min(slowest, pushing.of(rank).steps);
    }
    for (Rank rank = 0; rank < workers; ++rank) {
      if (pushing.of(rank).has_left) continue;
      const bool may_run = pushing.of(rank).steps - slowest <= slack;
      RC_ASSERT(pushing.of(rank).waits == !may_run);
    }
    pushing.go_on(turns(ready));
  }
  RC_ASSERT(pushing.ledger().stale().most() <= (workers - 1) * (2 * slack + 1));
  RC_ASSERT(numbers_of(pushing.ledger().take_writes()) == numbers_between(0, steps * workers));
  for (Rank rank = 0; rank < workers; ++rank) RC_ASSERT(pushing.of(rank).steps == steps);
}

TEST(SspLedger, LetsAsManyUpdatesInterveneAsTheBoundSays) {
  constexpr std::int32_t kSlack = 2;
  Pushing pushing({ssp(kSlack), 3});
  pushing.begin({.first = 0, .gradients = 90, .records = true});
  // Worker 0 runs ahead until it must wait; then all others make one step, with which its wait ends.
  for (int step = 0; step <= kSlack; ++step) EXPECT_EQ(pushing.push(0), Fate::kApply);
  EXPECT_TRUE(pushing.of(0).waits);
  EXPECT_EQ(pushing.push(1), Fate::kApply);
  EXPECT_TRUE(pushing.of(0).waits);
  EXPECT_EQ(pushing.push(2), Fate::kApply);
  EXPECT_FALSE(pushing.of(0).waits);
  // The others run ahead of it as far as they may.
  while (!pushing.of(1).waits || !pushing.of(2).waits) {
    EXPECT_EQ(pushing.push(pushing.of(1).waits ? 2 : 1), Fate::kApply);
  }
  EXPECT_EQ(pushing.push(0), Fate::kApply);
  EXPECT_EQ(pushing.ledger().staleness(), 2 * (2 * kSlack + 1));
}

TEST(SspLedger, WaitsForNobodyWhoHasLeft) {
  Pushing pushing({ssp(1), 2});
  pushing.begin({});
  EXPECT_EQ(pushing.push(0), Fate::kApply);
  EXPECT_EQ(pushing.push(0), Fate::kApply);
  EXPECT_TRUE(pushing.of(0).waits);
  EXPECT_EQ(pushing.leave(1), Fate::kDrop);
  EXPECT_THAT(pushing.answered(), ElementsAre(0));
  EXPECT_FALSE(pushing.of(0).waits);
}

TEST(SspLedger, KnowsWhoIsSlowest) {
  Pushing pushing({ssp(2), 3});
  pushing.begin({});
  for (const Rank rank : {0, 0, 1}) EXPECT_EQ(pushing.push(rank), Fate::kApply);
  EXPECT_EQ(pushing.ledger().slowest(), 2);
  for (const Rank rank : {2, 2}) EXPECT_EQ(pushing.push(rank), Fate::kApply);
  EXPECT_EQ(pushing.ledger().slowest(), 1);
}

// ---- backup

RC_GTEST_PROP(BackupLedger, TakesAllButTheBackupsInEveryRound, ()) {
  const Rank workers = *rc::gen::inRange(2, 7);
  const std::int32_t spare = *rc::gen::inRange(1, workers);
  const std::int64_t rounds = *rc::gen::inRange<std::int64_t>(1, 12);
  Pushing pushing({backup(spare), workers});
  pushing.begin({.first = 0, .gradients = rounds * workers, .records = true});
  pushing.run(UnevenTurns(workers));
  RC_ASSERT(pushing.is_over());
  RC_ASSERT(pushing.ledger().version() == rounds);
  std::map<std::int64_t, std::set<Rank>> taken;
  std::int64_t dropped = 0;
  std::set<std::int64_t> numbers;
  for (const schedule::Write& write : pushing.ledger().take_writes()) {
    RC_ASSERT(write.gradient % workers == write.worker);
    RC_ASSERT(numbers.insert(write.gradient).second);
    if (write.dropped) {
      ++dropped;
      RC_ASSERT(write.gradient / workers < write.version);  // late
    } else {
      RC_ASSERT(write.gradient / workers == write.version - 1);
      RC_ASSERT(write.read == write.version - 1);
      RC_ASSERT(taken[write.version].insert(write.worker).second);
    }
  }
  RC_ASSERT(std::ssize(taken) == rounds);
  for (const auto& [version, ranks] : taken) RC_ASSERT(std::ssize(ranks) == workers - spare);
  RC_ASSERT(pushing.ledger().dropped() == dropped);
  RC_ASSERT(pushing.ledger().stale().histogram ==
            (std::map<std::int64_t, std::int64_t>{{0, rounds * (workers - spare)}}));
}

TEST(BackupLedger, TakesNoMoreThanAreLeft) {
  Pushing pushing({backup(1), 4});
  pushing.begin({});
  EXPECT_EQ(pushing.push(2), Fate::kJoin);
  EXPECT_EQ(pushing.leave(0), Fate::kDrop);  // three are left, and that is how many a round wants
  EXPECT_EQ(pushing.push(1), Fate::kJoin);
  EXPECT_EQ(pushing.leave(3), Fate::kComplete);  // those that are left have come
  EXPECT_THAT(pushing.answered(), ElementsAre(1, 2));
  EXPECT_EQ(pushing.ledger().version(), 1);
  EXPECT_EQ(pushing.push(1), Fate::kJoin);
  EXPECT_EQ(pushing.push(2), Fate::kComplete);
  EXPECT_EQ(pushing.leave(2), Fate::kDrop);
  EXPECT_EQ(pushing.push(1), Fate::kComplete);
  EXPECT_EQ(pushing.ledger().version(), 3);
}

TEST(BackupLedger, KnowsARoundsWorkersInTheOrderOfRanks) {
  Ledger ledger({backup(1), 3});
  ledger.begin({});
  EXPECT_EQ(ledger.push(2, {.sequence = 1, .gradient = 2}), Fate::kJoin);
  EXPECT_EQ(ledger.push(1, {.sequence = 1, .gradient = 1}), Fate::kComplete);
  EXPECT_THAT(ledger.round(), ElementsAre(1, 2));
  ledger.applied();
  EXPECT_THAT(ledger.take_released(), ElementsAre(1, 2));
  EXPECT_THAT(ledger.take_released(), IsEmpty());
}

TEST(BackupLedger, DropsALateGradientAndSendsItsWorkerIntoTheRoundAtHand) {
  Pushing pushing({backup(1), 2});
  pushing.begin({.first = 0, .gradients = 20, .records = true});
  EXPECT_EQ(pushing.push(0), Fate::kComplete);
  EXPECT_EQ(pushing.push(0), Fate::kComplete);
  EXPECT_EQ(pushing.push(1), Fate::kDrop);
  EXPECT_EQ(pushing.of(1).next, 2 * 2 + 1);
  EXPECT_EQ(pushing.ledger().dropped(), 1);
  EXPECT_EQ(pushing.push(1), Fate::kComplete);
  EXPECT_EQ(pushing.ledger().staleness(), 0);
}

// ---- in every mode

Mode any_mode(Rank workers) {
  std::vector<Mode> modes = {kAsync, ssp(1), ssp(3)};
  for (std::int32_t spare = 1; spare < workers; ++spare) modes.push_back(backup(spare));
  return modes[*rc::gen::inRange<std::size_t>(0, modes.size())];
}

RC_GTEST_PROP(AWishToStop, EndsThePhaseAfterTheSameNumberOfStepsForAll, ()) {
  const Rank workers = *rc::gen::inRange(1, 6);
  const Mode mode = any_mode(workers);
  const std::int64_t steps = *rc::gen::inRange<std::int64_t>(1, 10);
  const bool is_limited = *rc::gen::arbitrary<bool>();
  Pushing pushing({mode, workers});
  const std::int64_t first = workers * *rc::gen::inRange<std::int64_t>(0, 3);
  pushing.begin(
      {.first = first, .gradients = is_limited ? steps * workers : Phase::kUnlimited, .records = true});
  const UnevenTurns turns(workers);
  std::int64_t before = *rc::gen::inRange<std::int64_t>(0, 20);
  std::int64_t pushed_before = 0;
  bool is_wished = false;
  std::int64_t last_version = std::numeric_limits<std::int64_t>::max();
  while (!pushing.is_over()) {
    const std::vector<Rank> ready = pushing.ready();
    RC_ASSERT(!ready.empty());
    const Rank rank = turns(ready);
    const bool pushes = pushing.of(rank).next != AnswerNote::kNone;
    const bool wishes = before-- == 0;
    is_wished = is_wished || wishes;
    if (wishes) last_version = pushing.ledger().version() + 1;
    pushed_before += pushes && !is_wished ? 1 : 0;
    pushing.go_on(rank, wishes ? rounds::kWishStop : 0);
  }
  // The phase has so many whole steps, and each number up to there has been handed out once.
  std::map<Rank, std::int64_t> clocks;
  std::vector<std::int64_t> applied;
  for (const schedule::Write& write : pushing.ledger().take_writes()) {
    ++clocks[write.worker];
    applied.push_back(write.gradient);
  }
  std::ranges::sort(applied);
  if (mode.kind == Mode::Kind::kBackup) {
    const std::int64_t rounds = pushing.ledger().version();
    RC_ASSERT(rounds == std::min(last_version, is_limited ? steps : last_version));
    for (const std::int64_t gradient : applied) RC_ASSERT(gradient < first + rounds * workers);
    RC_ASSERT(std::adjacent_find(applied.begin(), applied.end()) == applied.end());
  } else {
    RC_ASSERT(std::ssize(applied) % workers == 0);
    RC_ASSERT(applied == numbers_between(first, first + std::ssize(applied)));
    if (mode.kind == Mode::Kind::kSsp) {
      for (const auto& [rank, clock] : clocks) RC_ASSERT(clock == std::ssize(applied) / workers);
    }
    // As soon as possible: no worker begins what none had begun.
    const std::int64_t ahead = mode.kind == Mode::Kind::kSsp ? workers * (mode.number + 1) : 2 * workers;
    if (is_wished) RC_ASSERT(std::ssize(applied) <= pushed_before + ahead);
  }
}

RC_GTEST_PROP(AWish, IsHeardByAllThatAreAnsweredAfterwards, ()) {
  const Rank workers = *rc::gen::inRange(1, 6);
  Pushing pushing({any_mode(workers), workers});
  pushing.begin({});
  pushing.go_on(any_of(pushing.ready()), rounds::kWishSave);
  for (const Rank rank : pushing.answered()) RC_ASSERT(pushing.of(rank).wishes == rounds::kWishSave);
  for (int push = 0; push < 10 && !pushing.ready().empty(); ++push) {
    pushing.go_on(any_of(pushing.ready()));
    for (const Rank rank : pushing.answered()) RC_ASSERT(pushing.of(rank).wishes == rounds::kWishSave);
  }
  while (!pushing.is_over()) {
    RC_ASSERT(!pushing.ready().empty());
    pushing.go_on(any_of(pushing.ready()));
  }
  pushing.begin({});
  RC_ASSERT(pushing.ledger().answer(0).wishes == 0);  // it was for the phase before
}

RC_GTEST_PROP(ADuplicate, ChangesNothingButTheWeightsThatItsWorkerHas, ()) {
  const Rank workers = *rc::gen::inRange(2, 6);
  const Mode mode = any_mode(workers);
  Pushing pushing({mode, workers});
  pushing.begin({.first = 0, .gradients = 10 * workers, .records = true});
  for (int push = *rc::gen::inRange(1, 20); push > 0; --push) pushing.go_on(any_of(pushing.ready()));
  const std::vector<Rank> ready = pushing.ready();
  std::vector<Rank> candidates;
  for (const Rank rank : ready) {
    if (pushing.of(rank).sequence > 0) candidates.push_back(rank);
  }
  RC_PRE(!candidates.empty());
  const Rank rank = any_of(candidates);
  static_cast<void>(pushing.ledger().take_writes());
  const Staleness stale = pushing.ledger().stale();
  const std::int64_t version = pushing.ledger().version();
  const std::int64_t next = pushing.of(rank).next;
  RC_ASSERT(pushing.push_again(rank) == Fate::kDuplicate);
  RC_ASSERT(pushing.answered() == std::vector<Rank>{rank});
  RC_ASSERT(pushing.ledger().take_writes().empty());
  RC_ASSERT(pushing.ledger().stale().histogram == stale.histogram);
  RC_ASSERT(pushing.ledger().version() == version);
  RC_ASSERT(pushing.ledger().duplicates() == 1);
  if (mode.kind != Mode::Kind::kBackup) RC_ASSERT(pushing.of(rank).next == next);
  RC_ASSERT(pushing.ledger().sequence(rank) == pushing.of(rank).sequence);
}

// ---- notes that make no sense

class Nonsense : public testing::Test {
 protected:
  void SetUp() override {
    ledger_.begin({});
    ASSERT_EQ(ledger_.push(1, {.sequence = 1, .gradient = 1}), Fate::kJoin);
    ASSERT_EQ(ledger_.push(0, {.sequence = 1}), Fate::kComplete);
    ledger_.applied();
  }
  void expect_refused(Rank worker, const PushNote& note) {
    try {
      static_cast<void>(ledger_.push(worker, note));
      FAIL() << "it should have been refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().culprit, worker);
      EXPECT_EQ(error.failure().cause, Failure::Cause::kMismatch);
    }
    // It has left no trace.
    EXPECT_EQ(ledger_.push(0, {.sequence = 2, .gradient = 3, .round = 1}), Fate::kJoin);
    EXPECT_EQ(ledger_.duplicates(), 0);
  }

  Ledger ledger_{{backup(1), 3}};
};

TEST_F(Nonsense, OfAGradientThatIsNotTheNext) {
  expect_refused(0, {.sequence = 3, .gradient = 3, .round = 1});
}

TEST_F(Nonsense, OfASequenceThatBeginsBeforeTheFirst) { expect_refused(0, {.sequence = 0, .round = 1}); }

TEST_F(Nonsense, OfARateThatIsNegative) {
  expect_refused(0, {.sequence = 2, .gradient = 3, .round = 1, .rate = -0.5});
}

TEST_F(Nonsense, OfARateThatIsNoNumber) {
  expect_refused(
      0, {.sequence = 2, .gradient = 3, .round = 1, .rate = std::numeric_limits<double>::quiet_NaN()});
}

TEST_F(Nonsense, OfARateWithoutEnd) {
  expect_refused(0,
                 {.sequence = 2, .gradient = 3, .round = 1, .rate = std::numeric_limits<double>::infinity()});
}

TEST_F(Nonsense, OfAMiniBatchBeforeTheFirst) {
  expect_refused(0, {.sequence = 2, .gradient = -1, .round = 1});
}

TEST_F(Nonsense, OfARoundThatHasNotBegun) { expect_refused(0, {.sequence = 2, .gradient = 3, .round = 2}); }

TEST_F(Nonsense, OfAWorkerThatAwaitsItsAnswer) {
  ASSERT_EQ(ledger_.push(2, {.sequence = 1, .gradient = 5, .round = 1}), Fate::kJoin);
  try {
    static_cast<void>(ledger_.push(2, {.sequence = 2, .gradient = 5, .round = 1}));
    FAIL() << "it should have been refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().culprit, 2);
  }
}

TEST_F(Nonsense, OfAWorkerThatHasLeft) {
  static_cast<void>(ledger_.leave(1, {.kind = PushKind::kLeave}));
  EXPECT_THROW(static_cast<void>(ledger_.push(1, {.sequence = 2, .gradient = 3, .round = 1})), Error);
}

TEST(ALeave, CountsOnceHoweverOftenItIsSaid) {
  Ledger ledger({kAsync, 2});
  ledger.begin({});
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(ledger.leave(0, {.kind = PushKind::kLeave}), Fate::kDrop);
    EXPECT_FALSE(ledger.all_have_left());
  }
  EXPECT_EQ(ledger.leave(1, {.kind = PushKind::kLeave}), Fate::kDrop);
  EXPECT_TRUE(ledger.all_have_left());
  EXPECT_TRUE(ledger.has_left(0));
}

TEST(APhase, BeginsWithTheWorkersNumbersAsFarAsThereAreSo) {
  const Phase phase{.first = 6, .gradients = 3};
  EXPECT_EQ(phase.begin_of(0), 6);
  EXPECT_EQ(phase.begin_of(2), 8);
  EXPECT_EQ(Phase{}.begin_of(5), 5);
  EXPECT_EQ((Phase{.first = 6, .gradients = 0}).begin_of(0), AnswerNote::kNone);
}

TEST(ALedger, GoesOnFromSavedClocks) {
  Ledger ledger({kAsync, 2});
  ledger.set_version(7);
  ledger.set_sequence(0, 4);
  ledger.begin({.first = 6, .gradients = 4, .records = true});
  EXPECT_EQ(ledger.push(0, {.sequence = 4, .gradient = 6}), Fate::kDuplicate);
  EXPECT_EQ(ledger.push(0, {.sequence = 5, .gradient = 6}), Fate::kApply);
  ledger.applied();
  EXPECT_EQ(ledger.version(), 8);
  EXPECT_THAT(ledger.take_writes(),
              ElementsAre(schedule::Write{.worker = 0, .gradient = 6, .read = 7, .version = 8}));
}

}  // namespace
}  // namespace trireme::server
