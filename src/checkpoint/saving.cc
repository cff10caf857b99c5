#include "checkpoint/saving.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "checkpoint/done.h"
#include "checkpoint/failure.h"
#include "checkpoint/names.h"
#include "checkpoint/saved.h"

namespace trireme::checkpoint {
namespace {

namespace fs = std::filesystem;

// Whether the folder was made. It may be there already.
bool make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) fail_to_write(folder, errno);
  return false;
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder, error.value());
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_to_write(to, errno);
}

// Gives `aside` the name `named`. What had that name is called `aside` afterwards.
void take_name(const fs::path& aside, const fs::path& named) {
  if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, named.c_str(), RENAME_NOREPLACE) == 0) return;
  if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, named.c_str(), RENAME_EXCHANGE) == 0) return;
  // The file system, such as NFS, has neither. Then a kill between the next two leaves only older
  // checkpoints.
  fs::path replaced = aside;
  replaced += kSavingEnd;
  if (fs::exists(named)) rename_folder(named, replaced);
  rename_folder(aside, named);
  std::error_code ignored;  // tidied up at the next saving
  fs::remove_all(replaced, ignored);
}

void require_size(const fs::path& file, std::uint64_t bytes) {
  std::error_code unknown;
  const bool is_file = fs::is_regular_file(fs::symlink_status(file, unknown));
  const std::uintmax_t found = is_file ? fs::file_size(file, unknown) : 0;
  if (is_file && found == bytes) return;
  throw refused(
      file, is_file ? fmt::format("it has {} bytes, and {} were written", found, bytes) : "it is not there",
      "write it into the folder of the saving, which all holders must see");
}

}  // namespace

Saving::Saving(fs::path run, std::int64_t step)
    : run_(std::move(run)), step_(step), aside_(saving_folder(run_, step)) {
  make_folders(run_);
  if (make_folder(run_ / kFolder)) sync_folder(run_);
  tidy_up(run_);
  if (!make_folder(aside_)) fail_to_write(aside_, EEXIST);
}

Saving::~Saving() {
  std::error_code ignored;  // tidied up at the next saving
  if (!is_finished_) fs::remove_all(aside_, ignored);
}

void Saving::write_state(const State& state) { add(write_summed(aside_ / kStateFile, to_json(state))); }

void Saving::write_config(const std::string& toml) { add(write_summed(aside_ / kConfigFile, toml)); }

fs::path Saving::finish() {
  const std::string done = to_text(files_);
  for (const FileSum& file : files_) require_size(aside_ / file.name, file.bytes);
  for (const char* name : {kConfigFile, kStateFile}) {
    if (std::none_of(files_.begin(), files_.end(), [&](const FileSum& file) { return file.name == name; })) {
      throw refused(aside_ / name, "it is not there", "write it before the end");
    }
  }
  sync_folder(aside_);  // now all files are on the disk
  (void)write_summed(aside_ / kDoneFile, done);
  sync_folder(aside_);
  fs::path named = step_folder(run_, step_);
  take_name(aside_, named);
  is_finished_ = true;
  sync_folder(run_ / kFolder);
  std::error_code ignored;  // a checkpoint of the same step that was there; tidied up at the next saving
  fs::remove_all(aside_, ignored);
  return named;
}

std::vector<std::int64_t> prune(const fs::path& run, std::int64_t step, std::int64_t keep) {
  std::vector<std::int64_t> removed;
  std::int64_t kept = 0;
  for (const Listed& listed : list_checkpoints(run)) {
    if (listed.step > step || !listed.is_complete() || ++kept <= keep) continue;
    // Without its name it is no checkpoint, however far it is removed when this process ends.
    const fs::path aside = saving_folder(run, listed.step);
    std::error_code ignored;  // tidied up at the next saving
    fs::remove_all(aside, ignored);
    rename_folder(listed.folder, aside);
    fs::remove_all(aside, ignored);
    removed.push_back(listed.step);
  }
  return removed;
}

void tidy_up(const fs::path& run) {
  std::error_code none;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(run / kFolder, none), end; !none && at != end; at.increment(none)) {
    if (is_saving_name(at->path().filename().string())) leftovers.push_back(at->path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, none);
}

}  // namespace trireme::checkpoint
