#include "launch/logs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "launch/launch_test_util.h"

namespace trireme::launch {
namespace {

TEST(Logs, AreKeptByTimeAndProcess) {
  const std::chrono::system_clock::time_point start{};
  EXPECT_EQ(default_log_folder(start + std::chrono::hours(25), 4711), "trireme-logs/19700102-010000-4711");
}

TEST(Logs, FolderIsMadeWithThoseAboveIt) {
  const ScratchFolder scratch;
  const auto folder = scratch.path() / "a" / "b";
  make_log_folder(folder);
  make_log_folder(folder);  // there already
  EXPECT_TRUE(open_log(folder, 12));
  EXPECT_TRUE(std::filesystem::exists(folder / "rank-12.log"));
}

TEST(Logs, AreNotWrittenThroughALink) {
  const ScratchFolder scratch;
  const std::string precious = scratch.write("precious", "precious");
  std::filesystem::create_symlink(precious, log_file(scratch.path(), 3));
  EXPECT_THROW((void)open_log(scratch.path(), 3), Error);
  EXPECT_EQ(content(precious), "precious");
}

TEST(Logs, AreNotKeptBehindALinkOfAnotherUser) {
  const ScratchFolder scratch;
  const auto link = scratch.path() / "link";
  std::filesystem::create_directory(scratch.path() / "target");
  std::filesystem::create_directory_symlink(scratch.path() / "target", link);
  EXPECT_NO_THROW(make_log_folder(link));
  constexpr uid_t kNobody = 65534;
  if (::lchown(link.c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "only root can give a link away";
  EXPECT_THROW(make_log_folder(link), Error);
  EXPECT_THROW(make_log_folder(link / ""), Error);
}

TEST(Logs, InAPlaceThatIsNoFolderAreRefused) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "file";
  std::ofstream(file) << "x";
  for (const auto& folder : {file, file / "below"}) {
    try {
      make_log_folder(folder);
      FAIL() << folder;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "cannot keep logs in '" + folder.string() + "': Not a directory; name another folder");
    }
  }
}

}  // namespace
}  // namespace trireme::launch
