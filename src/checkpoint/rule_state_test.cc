#include "checkpoint/rule_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/system/scratch_folder_test_util.h"
#include "base/types.h"
#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Files of holders in a folder of its own.
class Holders {
 public:
  void add(const std::vector<RuleStatePart>& parts) {
    const RuleStateTensors rule = rule_state_tensors(parts);
    add(rule.tensors, rule.metadata);
  }
  void add(const std::vector<TensorView>& tensors, const Metadata& metadata) {
    // Not `write_safetensors`, which waits for the disk.
    std::ofstream file(scratch_.path() / rule_file(count_++), std::ios::binary);
    stream_safetensors(tensors, metadata, [&](std::span<const std::byte> bytes) {
      file.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    });
  }
  [[nodiscard]] RuleStateReader read() const {
    std::vector<SafetensorsFile> files;
    for (std::int64_t i = 0; i < count_; ++i) files.emplace_back(scratch_.path() / rule_file(i));
    return RuleStateReader(std::move(files));
  }
  [[nodiscard]] std::string refusal_of_all() const {
    return refusal([&] { return read(); });
  }

 private:
  ScratchFolder scratch_;
  std::int64_t count_ = 0;
};

// Increasing borders from 0 to `size`.
std::vector<std::int64_t> any_borders(std::int64_t size) {
  auto borders = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, size));
  borders.insert(borders.end(), {0, size});
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

RC_GTEST_PROP(RuleState, IsReadIntoAnyOtherDivision, ()) {
  constexpr std::int64_t kSize = 50;
  const std::vector<float> values = weights_at(3, kSize);
  const std::vector<std::int64_t> written = any_borders(kSize);
  Holders holders;
  for (std::size_t i = 0; i + 1 < written.size(); ++i) {
    const std::int64_t count = written[i + 1] - written[i];
    const auto part = std::span(values).subspan(idx(written[i]), idx(count));
    holders.add({{"a/b[0:1]", written[i], count, 7, {{"exp_avg", part}, {"exp_avg_sq", part}}}});
  }
  const RuleStateReader reader = holders.read();
  const std::vector<std::int64_t> wanted = any_borders(kSize);
  for (std::size_t i = 0; i + 1 < wanted.size(); ++i) {
    std::vector<float> part(idx(wanted[i + 1] - wanted[i]));
    RC_ASSERT(reader.read("a/b[0:1]", "exp_avg_sq", wanted[i], part) == std::ssize(part));
    RC_ASSERT(std::equal(part.begin(), part.end(), values.begin() + wanted[i]));
    RC_ASSERT(reader.steps("a/b[0:1]", wanted[i], std::ssize(part)) == 7);
  }
}

TEST(RuleState, IsListed) {
  const std::vector<float> values{1, 2};
  Holders holders;
  holders.add({{"b", 0, 2, 7, {{"exp_avg_sq", values}, {"exp_avg", values}}}, {"a", 0, 9, 8, {}}});
  const RuleStateReader reader = holders.read();
  EXPECT_THAT(reader.parameters(), ElementsAre("a", "b"));
  EXPECT_THAT(reader.states("b"), ElementsAre("exp_avg", "exp_avg_sq"));
  EXPECT_THAT(reader.states("a"), ElementsAre());
  EXPECT_THAT(reader.states("c"), ElementsAre());
  EXPECT_EQ(reader.steps("a", 0, 9), 8);
}

TEST(RuleState, ThatWasNotSavedIsLeftAsItIs) {
  const std::vector<float> values{1, 2};
  Holders holders;
  holders.add({{"a", 3, 2, 7, {{"m", values}}}});
  const RuleStateReader reader = holders.read();
  std::vector<float> into{-1, -2, -3, -4};
  EXPECT_EQ(reader.read("a", "m", 2, into), 2);
  EXPECT_THAT(into, ElementsAre(-1, 1, 2, -4));
  EXPECT_EQ(reader.read("a", "v", 2, into), 0);
  EXPECT_EQ(reader.read("b", "m", 2, into), 0);
  EXPECT_EQ(reader.steps("a", 0, 3), 0);
  EXPECT_EQ(reader.steps("a", 5, 3), 0);
  EXPECT_EQ(reader.steps("b", 0, 3), 0);
}

TEST(RuleState, OfPartsWithDifferentStepsHasTheMostOfThem) {
  Holders holders;
  holders.add({{"a", 0, 2, 7, {}}});
  holders.add({{"a", 2, 2, 9, {}}});
  EXPECT_EQ(holders.read().steps("a", 0, 2), 7);
  EXPECT_EQ(holders.read().steps("a", 1, 2), 9);
}

TEST(RuleState, ThatTwoHoldIsRefused) {
  const std::vector<float> values{1, 2};
  Holders holders;
  holders.add({{"a", 0, 2, 7, {{"m", values}}}});
  holders.add({{"a", 1, 2, 7, {{"m", values}}}});
  EXPECT_THAT(
      holders.refusal_of_all(),
      HasSubstr(
          "rule-1.safetensors: element 1 of 'a' is in rule-0.safetensors, too; take another checkpoint"));
}

TEST(RuleState, WithAnotherNameIsRefused) {
  const std::vector<float> values{1, 2};
  for (const char* name : {"a", "a/m", "a/m[0:2", "a/m[0:1]", "a/m[0:3]", "a/m[2:0]", "a/m[-2:0]",
                           "a/m[0:02]", "a/m[:2]", "am[0:2]", "a/m[0:2] ", "a/m[1:3]"}) {
    Holders holders;
    holders.add({view_of(name, values)}, {{"a[0:2]", "7"}});
    EXPECT_NE(holders.refusal_of_all(), "accepted") << name;
  }
}

TEST(RuleState, WithAnotherNumberOfStepsIsRefused) {
  for (const char* steps : {"", "-1", "1.5", "x", "9223372036854775808"}) {
    Holders holders;
    holders.add({}, {{"a[0:2]", steps}});
    EXPECT_THAT(holders.refusal_of_all(), HasSubstr("'a[0:2]' has no number of steps")) << steps;
  }
  Holders holders;
  holders.add({}, {{"format", "pt"}});
  EXPECT_THAT(holders.refusal_of_all(), HasSubstr("'format' names no elements of a parameter"));
}

TEST(RuleState, OfAnotherTypeIsRefused) {
  const std::vector<double> values{1, 2};
  Holders holders;
  holders.add({{{"a/m[0:2]", TensorType::kF64, {2}}, std::as_bytes(std::span(values))}}, {{"a[0:2]", "7"}});
  EXPECT_THAT(holders.refusal_of_all(), HasSubstr("is not F32 of as many elements as it names"));
}

}  // namespace
}  // namespace trireme::checkpoint
