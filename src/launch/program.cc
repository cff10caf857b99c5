#include "launch/program.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/text.h"

namespace trireme::launch {
namespace {

enum class Kind { kProgram, kMissing, kFolder, kNotExecutable, kUnreachable };

// Sets `errno` where the file is unreachable.
Kind kind_of(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return errno == ENOENT ? Kind::kMissing : Kind::kUnreachable;
  if (S_ISDIR(status.st_mode)) return Kind::kFolder;
  return access(file.c_str(), X_OK) == 0 ? Kind::kProgram : Kind::kNotExecutable;
}

// A file that is named by its path: it, or the reason why not.
std::string by_path(const std::string& file) {
  const Kind kind = kind_of(file);
  const std::string shown = printable(file);
  switch (kind) {
    case Kind::kProgram:
      return file;
    case Kind::kMissing:
      throw bad_input(fmt::format("there is no program '{}'", shown), "look at its path");
    case Kind::kFolder:
      throw bad_input(fmt::format("'{}' is a folder, not a program", shown),
                      fmt::format("name a program in it: {}{}NAME", shown, shown.ends_with('/') ? "" : "/"));
    case Kind::kNotExecutable:
      throw bad_input(fmt::format("'{}' is not executable", shown), fmt::format("try chmod +x {}", shown));
    case Kind::kUnreachable:
      break;
  }
  throw bad_input(fmt::format("cannot run '{}': {}", shown, std::strerror(errno)), "look at its path");
}

std::string search_path() {
  if (const char* path = std::getenv("PATH")) return path;
  return "/bin:/usr/bin";
}

// The first line of a script names the program that runs it. The system does not say when that is missing.
std::string first_line_hint(const std::string& file, int reason) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  if (line.starts_with("#!")) {
    return fmt::format("look at its first line, {}", printable(line.substr(0, 200)));
  }
  if (reason == ENOEXEC) return "is it for another machine, or a script without #! in its first line?";
  return "does it run without trireme launch?";
}

[[noreturn]] void throw_exec_error(const std::string& file) {
  const int reason = errno;
  Failure failure;
  failure.what = fmt::format("cannot start '{}': {}", printable(file), std::strerror(reason));
  failure.hint = first_line_hint(file, reason);
  throw ExecError(failure);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty()) throw bad_input("the name of the program is empty", "name a program");
  if (name.find('/') != std::string::npos) return by_path(name);
  std::string not_executable;
  const std::string path = search_path();
  for (const std::string_view folder : split(path, ':')) {
    std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    const Kind kind = kind_of(file);
    if (kind == Kind::kProgram) return file;
    if (kind == Kind::kNotExecutable && not_executable.empty()) not_executable = file;
  }
  if (!not_executable.empty()) return by_path(not_executable);
  const std::string shown = printable(name);
  const Kind here = kind_of("./" + name);
  if (here == Kind::kFolder) return by_path(name);
  throw bad_input(fmt::format("there is no program '{}' in PATH", shown),
                  here == Kind::kProgram || here == Kind::kNotExecutable
                      ? fmt::format("did you mean ./{}?", shown)
                      : "give its path, like ./train");
}

NodeBody program(std::vector<std::string> argv) {
  std::string file = find_program(argv.empty() ? "" : argv.front());
  return [file = std::move(file), argv = std::move(argv)](Rank) -> int {
    std::vector<char*> pointers;
    for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execv(file.c_str(), pointers.data());
    throw_exec_error(file);
  };
}

}  // namespace trireme::launch
