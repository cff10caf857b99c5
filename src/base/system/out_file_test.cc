#include "base/system/out_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/system/scratch_folder_test_util.h"

namespace trireme {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

// Tries every way to write a file; each must refuse it with this reason.
void expect_refused(const fs::path& file, const std::string& reason) {
  const std::vector<std::function<void(const fs::path&)>> ways = {
      [](const fs::path& name) { (void)open_own_file(name); },
      [](const fs::path& name) { (void)open_empty_file(name); },
      [](const fs::path& name) { write_file(name, "new"); },
  };
  for (const auto& way : ways) {
    try {
      way(file);
      ADD_FAILURE() << "written: " << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
      EXPECT_EQ(std::string(error.what()),
                "cannot write " + file.string() + ": " + reason + "; name a file in a writable folder");
    }
  }
}

// Limits the size of files that this process can write, as on a full disk.
class MostFileBytes {
 public:
  explicit MostFileBytes(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~MostFileBytes() { setrlimit(RLIMIT_FSIZE, &before_); }
  MostFileBytes(const MostFileBytes&) = delete;
  MostFileBytes& operator=(const MostFileBytes&) = delete;

 private:
  rlimit before_{};
};

TEST(OutFile, ReplacesTheOldOneWhenItIsFinished) {
  const ScratchFolder folder;
  const std::string file = folder.write("table.csv", "old");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  OutFile out(file);
  out.write("new\n");
  EXPECT_EQ(content(file), "old");
  out.finish();
  EXPECT_EQ(content(file), "new\n");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("table.csv"));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(OutFile, ThatIsNotFinishedLeavesNothing) {
  const ScratchFolder folder;
  const std::string file = folder.write("table.csv", "old");
  {
    OutFile out(file);
    out.write(std::string(1'000'000, 'x'));
  }
  EXPECT_EQ(content(file), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("table.csv"));
}

TEST(OutFile, OnAFullDiskSaysSoAndLeavesNothing) {
  const ScratchFolder folder;
  const std::string file = folder.write("table.csv", "old");
  std::string reason;
  try {
    const MostFileBytes limit(4096);
    write_file(file, std::string(1'000'000, 'x'));
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  EXPECT_EQ(reason, "cannot write " + file + ": File too large");
  EXPECT_EQ(content(file), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("table.csv"));
}

TEST(OutFile, OnADeviceIsWrittenInPlace) {
  write_file("/dev/null", "text");
  try {
    write_file("/dev/full", "text");
    ADD_FAILURE() << "written";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST(OutFile, GoesToAPipeOfThisProcess) {
  Pipe pipe = make_pipe();
  write_file("/dev/fd/" + std::to_string(pipe.write.get()), "text");
  pipe.write.reset();
  std::array<char, 16> text{};
  EXPECT_EQ(read_some(pipe.read.get(), text), 4);
  EXPECT_STREQ(text.data(), "text");
}

TEST(OutFile, GoesWhereStandardOutputIsAmongOtherText) {
  const ScratchFolder folder;
  const std::string file = folder.write("log", "");
  const Fd log = own(::open(file.c_str(), O_WRONLY | O_CLOEXEC), "open a log");
  const std::string name = "/proc/self/fd/" + std::to_string(log.get());
  write_all(log.get(), std::string_view("before "));
  write_file(name, "text");
  write_all(log.get(), std::string_view(" after"));
  EXPECT_EQ(content(file), "before text after");
}

TEST(OutFile, IsEmptiedOnlyWhenThatIsAskedFor) {
  const ScratchFolder folder;
  const std::string file = folder.write("log", "old ");
  write_all(open_own_file(file).get(), std::string_view("new"));
  EXPECT_EQ(content(file), "old new");
  write_all(open_empty_file(file).get(), std::string_view("new"));
  EXPECT_EQ(content(file), "new");
}

TEST(OutFile, FollowsNoSymbolicLink) {
  const ScratchFolder folder;
  const std::string precious = folder.write("precious", "precious");
  const fs::path link = folder.path() / "rank-0.log";
  const fs::path dangling = folder.path() / "rank-1.log";
  fs::create_symlink(precious, link);
  fs::create_symlink(folder.path() / "made", dangling);
  expect_refused(link, "it is a symbolic link, and none is followed");
  expect_refused(dangling, "it is a symbolic link, and none is followed");
  EXPECT_EQ(content(precious), "precious");
  EXPECT_FALSE(fs::exists(folder.path() / "made"));
}

TEST(OutFile, LeavesAFileWithASecondNameAlone) {
  const ScratchFolder folder;
  const std::string precious = folder.write("precious", "precious");
  fs::create_hard_link(precious, folder.path() / "rank-0.log");
  expect_refused(folder.path() / "rank-0.log", "it has a second name, as a hard link");
  EXPECT_EQ(content(precious), "precious");
}

TEST(OutFile, LeavesWhatIsNoFileAlone) {
  const ScratchFolder folder;
  expect_refused(folder.path(), "Is a directory");
  expect_refused(folder.path() / "missing" / "file", "No such file or directory");
}

constexpr uid_t kSomebodyElse = 65534;

TEST(OutFile, LeavesAFileOfAnotherUserAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const ScratchFolder folder;
  const std::string file = folder.write("rank-0.log", "theirs");
  ASSERT_EQ(::chown(file.c_str(), kSomebodyElse, kSomebodyElse), 0);
  expect_refused(file, "it belongs to another user");
  EXPECT_EQ(content(file), "theirs");
}

TEST(OutFile, IsMadeInAFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const ScratchFolder folder;
  ASSERT_EQ(::chown(folder.path().c_str(), kSomebodyElse, kSomebodyElse), 0);
  write_file(folder.path() / "table.csv", "ours");
  write_file(folder.path() / "table.csv", "ours again");
  EXPECT_EQ(content(folder.path() / "table.csv"), "ours again");
}

}  // namespace
}  // namespace trireme
