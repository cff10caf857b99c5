#include "checkpoint/done.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::vector<FileSum> kFiles{{"config.toml", 2048, 0x1c291ca3}, {"own-a.safetensors", 0, 0}};

std::string refusal_of_done(const std::string& text) {
  return refusal([&] { return read_done(text, "DONE"); });
}

// The text with the right sum behind it.
std::string summed(const std::string& lines) {
  return lines + fmt::format("{:08x} DONE\n", crc32_of(std::as_bytes(std::span(lines))));
}

TEST(Done, IsALineForEachFileAndItsOwnSum) {
  const std::string lines = "trireme checkpoint 1\n1c291ca3 2048 config.toml\n00000000 0 own-a.safetensors\n";
  EXPECT_EQ(to_text({kFiles[1], kFiles[0]}), summed(lines));
  EXPECT_EQ(read_done(summed(lines), "DONE"), kFiles);
}

TEST(Done, MayListNothing) { EXPECT_TRUE(read_done(to_text({}), "DONE").empty()); }

TEST(Done, CutOffAnywhereIsRefused) {
  const std::string whole = to_text(kFiles);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(refusal_of_done(whole.substr(0, size)), StartsWith("DONE ")) << size;
  }
}

TEST(Done, WithAnyChangedByteIsRefused) {
  const std::string whole = to_text(kFiles);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_THAT(refusal_of_done(changed), StartsWith("DONE ")) << at;
  }
}

TEST(Done, OfAnotherVersionIsRefused) {
  EXPECT_EQ(refusal_of_done(summed("trireme checkpoint 2\n")),
            "DONE does not begin with 'trireme checkpoint 1'; take another checkpoint");
}

TEST(Done, WithALineThatListsNoFileIsRefused) {
  for (const char* line :
       {"", "1c291ca3 1", "1c291ca3 a b", "1c291cg3 1 a", "1c291ca 1 a", "1c291ca3 1 ../a", "1c291ca3 1 .a",
        "1c291ca3 1 DONE", "1c291ca3 99999999999999999999 a", "1c291ca3 -1 a"}) {
    EXPECT_THAT(refusal_of_done(summed(std::string("trireme checkpoint 1\n") + line + "\n")),
                HasSubstr("lists no file"))
        << line;
  }
}

TEST(Done, InAnotherOrderOrFormIsRefused) {
  for (const char* lines : {"00000001 1 b\n00000001 1 a\n", "00000001 1 a\n00000001 1 a\n", "00000001 01 a\n",
                            "0000000A 1 a\n"}) {
    EXPECT_THAT(refusal_of_done(summed(std::string("trireme checkpoint 1\n") + lines)),
                HasSubstr("another order"))
        << lines;
  }
}

TEST(Done, OfTwoFilesWithOneNameIsNotWritten) {
  EXPECT_THAT(refusal([] {
                return to_text({{"a", 1, 1}, {"a", 1, 1}});
              }),
              HasSubstr("a file 'a', or not twice"));
  EXPECT_THAT(refusal([] { return to_text({{"a/b", 1, 1}}); }), HasSubstr("a file 'a/b'"));
}

}  // namespace
}  // namespace trireme::checkpoint
