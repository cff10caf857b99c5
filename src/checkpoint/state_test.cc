#include "checkpoint/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

std::string refusal_of_state(const std::string& text) {
  return refusal([&] { return read_state(text, "state.json"); });
}

// The JSON of a state with one place changed.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_json(state_at(25));
  return text.replace(text.find(from), from.size(), to);
}

RC_GTEST_PROP(State, IsReadBack, (std::uint64_t seed, double number, const std::string& text)) {
  State state = state_at(25);
  state.seed = seed;
  state.numbers["n"] = number;
  for (const char c : text) state.texts["t"].push_back(static_cast<char>(c & 0x7f));
  RC_ASSERT(read_state(to_json(state), "state.json") == state);
}

TEST(State, MayHaveTheLargestNumbers) {
  State state = state_at(std::numeric_limits<std::int64_t>::max());
  state.numbers["least"] = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(read_state(to_json(state), "state.json"), state);
}

TEST(State, CutOffAnywhereIsRefused) {
  const std::string whole = to_json(state_at(25));
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {  // the last is the end of the line
    EXPECT_THAT(refusal_of_state(whole.substr(0, size)), StartsWith("state.json")) << size;
  }
}

TEST(State, WithSomethingWrongIsRefused) {
  EXPECT_THAT(refusal_of_state("[]"), HasSubstr("it is no object"));
  EXPECT_THAT(refusal_of_state(changed("\"version\": 1", "\"version\": 2")),
              HasSubstr("it has version 2 of the format, and this program reads 1"));
  EXPECT_THAT(refusal_of_state(changed("\"step\"", "\"stop\"")), HasSubstr("'step' is missing"));
  EXPECT_THAT(refusal_of_state(changed("\"step\": 25", "\"step\": -1")),
              HasSubstr("no whole number from 0 on"));
  EXPECT_THAT(refusal_of_state(changed("\"step\": 25", "\"step\": 9223372036854775808")),
              HasSubstr("'step' is no whole number"));
  EXPECT_THAT(refusal_of_state(changed("\"workers\": 2", "\"workers\": 0")),
              HasSubstr("no whole number from 1 on"));
  EXPECT_THAT(refusal_of_state(changed("\"seed\": ", "\"seed\": -")), HasSubstr("'seed' is no whole number"));
  EXPECT_THAT(refusal_of_state(changed("\"ring\"", "1")), HasSubstr("'strategy' is no text"));
  EXPECT_THAT(refusal_of_state(changed("2026-03-01T", "2026-03-01 ")), HasSubstr("'saved' is no time"));
  EXPECT_THAT(refusal_of_state(changed("0.1", "\"0.1\"")), HasSubstr("'mean' of 'numbers' is no number"));
  EXPECT_THAT(refusal_of_state(changed("\"texts\": {}", "\"texts\": []")), HasSubstr("'texts' is no object"));
  EXPECT_THAT(refusal_of_state(changed("\"step\"", "\"a\\u0007\": 1, \"step\"")),
              HasSubstr("'a?' is unknown here"));
  EXPECT_THAT(refusal_of_state(changed("\"step\"", "\"step\": 1, \"step\"")),
              HasSubstr("'step' is there twice"));
}

TEST(State, WithWhatJsonCannotSayIsNotWritten) {
  State state = state_at(25);
  state.numbers["n"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal([&] { return to_json(state); }), StartsWith("the number 'n' of a checkpoint is nan"));
  state.numbers.clear();
  state.texts["t"] = "\xff";
  EXPECT_THAT(refusal([&] { return to_json(state); }), HasSubstr("is not UTF-8"));
}

TEST(State, HasATimeInUtc) {
  State state = state_at(25);
  state.saved = time_in_utc();
  EXPECT_THAT(state.saved, MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_EQ(read_state(to_json(state), "state.json"), state);
}

}  // namespace
}  // namespace trireme::checkpoint
