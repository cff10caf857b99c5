#include "checkpoint/summed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/scratch_folder_test_util.h"
#include "checkpoint/checkpoint_test_util.h"
#include "checkpoint/full_disk_test_util.h"

namespace trireme::checkpoint {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(Sum, IsTheCrc32OfGzip) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32_of(bytes), 0xcbf43926);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32_of(bytes.subspan(4), crc32_of(bytes.first(4))), 0xcbf43926);
  EXPECT_EQ(crc32_of({}), 0);
  EXPECT_EQ(crc32_of({}, 7), 7);
}

TEST(SummedFile, IsWrittenAndSummed) {
  const ScratchFolder scratch;
  const std::string large(8'000'000, 'x');  // more than a block
  SummedFile file(scratch.path() / "a");
  file.write("begin");
  file.write(large);
  const FileSum sum = file.finish();
  const std::string whole = "begin" + large;
  EXPECT_EQ(sum, (FileSum{"a", 8'000'005, crc32_of(std::as_bytes(std::span(whole)))}));
  EXPECT_EQ(content(scratch.path() / "a"), whole);
}

TEST(SummedFile, IsNeverAnotherThatIsThere) {
  const ScratchFolder scratch;
  const std::string file = scratch.write("a", "mine");
  EXPECT_EQ(refusal([&] { return write_summed(file, "other"); }),
            "cannot write " + file + ": File exists; check that you may write there");
  std::filesystem::create_symlink("b", scratch.path() / "link");
  EXPECT_THAT(refusal([&] { return write_summed(scratch.path() / "link", "other"); }),
              HasSubstr("File exists"));
  EXPECT_EQ(content(file), "mine");
}

TEST(SummedFile, OnAFullDiskFailsWithWords) {
  const ScratchFolder scratch;
  const int status = on_small_disk(scratch.path(), 65536, [&] {
    const std::string said =
        refusal([&] { return write_summed(scratch.path() / "a", std::string(100'000, 'x')); });
    const std::string right = "cannot write " + (scratch.path() / "a").string() +
                              ": the disk is full; make room there, or keep fewer checkpoints: run.keep";
    return said == right ? 0 : 1;
  });
  if (status == kNoSuchDisk) GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(SummedFile, ThatMayNotBecomeSoLargeFailsWithWords) {
  const ScratchFolder scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string said =
        refusal([&] { return write_summed(scratch.path() / "a", std::string(5000, 'x')); });
    ::_exit(said.find("File too large; check that") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Folder, ThatIsNotThereCannotBeSynced) {
  EXPECT_THAT(refusal([] {
                sync_folder("/no/folder");
                return 0;
              }),
              EndsWith("check that you may write there"));
}

}  // namespace
}  // namespace trireme::checkpoint
