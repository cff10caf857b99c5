#include "launch/logs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/system/out_file.h"
#include "base/text.h"

namespace trireme::launch {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& reason) {
  throw bad_input(fmt::format("cannot keep logs in '{}': {}", printable(folder.string()), reason),
                  "name another folder");
}

// A link that another user has made may lead anywhere, to files that are not that user's to change.
bool is_link_of_another(const std::filesystem::path& folder) {
  const std::filesystem::path last =
      folder.has_filename() ? folder : folder.parent_path();  // without a slash
  struct stat status {};
  return ::lstat(last.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && status.st_uid != ::geteuid() &&
         status.st_uid != 0;
}

}  // namespace

std::filesystem::path default_log_folder(std::chrono::system_clock::time_point now, pid_t process) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  return fmt::format("trireme-logs/{:%Y%m%d-%H%M%S}-{}", fmt::gmtime(seconds), process);
}

void make_log_folder(const std::filesystem::path& folder) {
  if (is_link_of_another(folder)) refuse(folder, "it is a symbolic link of another user");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse(folder, error.message());
  if (!std::filesystem::is_directory(folder, error)) refuse(folder, std::strerror(ENOTDIR));
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(folder, std::strerror(errno));
}

std::filesystem::path log_file(const std::filesystem::path& folder, Rank rank) {
  return folder / fmt::format("rank-{}.log", rank);
}

Fd open_log(const std::filesystem::path& folder, Rank rank, OldLog old) {
  const std::filesystem::path file = log_file(folder, rank);
  return old == OldLog::kContinued ? open_own_file(file) : open_empty_file(file);
}

}  // namespace trireme::launch
