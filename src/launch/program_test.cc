#include "launch/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launch/launch_test_util.h"

namespace trireme::launch {
namespace {

std::string refusal(const std::string& name) {
  try {
    return "found " + find_program(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    return error.what();
  }
}

TEST(Program, IsSearchedInPath) {
  EXPECT_TRUE(find_program("sh").ends_with("/sh"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
}

TEST(Program, ThatIsNotThereIsRefused) {
  EXPECT_EQ(refusal("no-such-program"),
            "there is no program 'no-such-program' in PATH; give its path, like ./train");
  EXPECT_EQ(refusal("./no-such-program"), "there is no program './no-such-program'; look at its path");
  EXPECT_EQ(refusal(""), "the name of the program is empty; name a program");
  EXPECT_EQ(refusal("/bin/sh/x"), "cannot run '/bin/sh/x': Not a directory; look at its path");
}

TEST(Program, OfTheCurrentFolderIsSuggestedWithItsPath) {
  // Tests run in the root of the repository.
  EXPECT_EQ(refusal("README.md"), "there is no program 'README.md' in PATH; did you mean ./README.md?");
  EXPECT_EQ(refusal("src"), "'src' is a folder, not a program; name a program in it: src/NAME");
}

TEST(Program, ThatIsAFolderOrNotExecutableIsRefused) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path().string();
  EXPECT_EQ(refusal(folder),
            "'" + folder + "' is a folder, not a program; name a program in it: " + folder + "/NAME");
  const std::string file = folder + "/script";
  std::ofstream(file) << "#!/bin/sh\n";
  EXPECT_EQ(refusal(file), "'" + file + "' is not executable; try chmod +x " + file);
}

TEST(Program, ThatCannotBeExecutedIsNamedWithTheReason) {
  const ScratchFolder scratch;
  const std::string no_interpreter = scratch.script("a", "#!/no/such/interpreter\n");
  const std::string no_format = scratch.script("b", "echo hello\n");
  try {
    (void)program({no_interpreter})(0);
    FAIL();
  } catch (const ExecError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot start '" + no_interpreter +
                                             "': No such file or directory; look at its first line, "
                                             "#!/no/such/interpreter");
  }
  try {
    (void)program({no_format})(0);
    FAIL();
  } catch (const ExecError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "cannot start '" + no_format +
            "': Exec format error; is it for another machine, or a script without #! in its first line?");
  }
}

}  // namespace
}  // namespace trireme::launch
