#include "checkpoint/saved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "checkpoint/done.h"
#include "checkpoint/failure.h"
#include "checkpoint/input_file.h"
#include "checkpoint/names.h"

namespace trireme::checkpoint {
namespace {

namespace fs = std::filesystem;

// Much more than any of these files needs.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 24;
constexpr std::size_t kMostListed = 10;
constexpr const char* kGiveAnother = "give the folder of a run, or one checkpoints/step-N of it";
constexpr std::string_view kTensorsEnd = ".safetensors";

std::string said(const fs::path& path) { return printable(path.string()); }

// The path without "." and a slash at its end, so that it has a file name.
fs::path plain(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

std::string size_difference(const fs::path& folder, const FileSum& file) {
  std::error_code unknown;
  if (!fs::is_regular_file(folder / file.name, unknown)) return file.name + " is not there";
  const std::uintmax_t found = fs::file_size(folder / file.name, unknown);
  if (!unknown && found == file.bytes) return {};
  return fmt::format("{} has {} bytes instead of {}", file.name, found, file.bytes);
}

// What is wrong with the header of a file of tensors.
std::string lie_in(const fs::path& folder, const std::string& file) {
  if (!file.ends_with(kTensorsEnd)) return {};
  try {
    const SafetensorsFile tensors(folder / file);
    return {};
  } catch (const Error& error) {
    return error.failure().what;
  }
}

struct Contents {
  std::vector<FileSum> files;
  std::string missing;  // as in `Listed`
};

Contents contents_of(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_regular_file(folder / kDoneFile, unknown)) return {{}, fmt::format("it has no {}", kDoneFile)};
  Contents contents;
  try {
    contents.files = read_done(read_text(folder / kDoneFile, kMostTextBytes), kDoneFile);
  } catch (const Error& error) {
    return {{}, error.failure().what};
  }
  for (const FileSum& file : contents.files) {
    contents.missing = size_difference(folder, file);
    if (!contents.missing.empty()) return contents;
  }
  for (const char* name : {kConfigFile, kStateFile}) {
    if (std::none_of(contents.files.begin(), contents.files.end(),
                     [&](const FileSum& f) { return f.name == name; })) {
      contents.missing = fmt::format("{} lists no {}", kDoneFile, name);
    }
  }
  return contents;
}

// Those among the entries of a folder, newest first.
std::vector<Listed> list_steps(const fs::path& folder) {
  std::error_code none;
  std::vector<Listed> all;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    const std::optional<std::int64_t> step = step_of(at->path().filename().string());
    if (step && is_folder(at->path())) all.push_back({*step, at->path(), contents_of(at->path()).missing});
  }
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.step > b.step; });
  return all;
}

// "a, b and 3 more"
std::string some_of(const std::vector<std::string>& all) {
  const std::size_t shown = std::min(all.size(), kMostListed);
  std::string text =
      fmt::format("{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < all.size()) text += fmt::format(" and {} more", all.size() - shown);
  return text;
}

std::string entries_of(const fs::path& folder) {
  std::error_code none;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    names.push_back(printable(at->path().filename().string()));
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? "it is empty" : "it has " + some_of(names);
}

[[noreturn]] void refuse_all(const fs::path& folder, const std::vector<Listed>& listed) {
  std::vector<std::string> why;
  why.reserve(listed.size());
  for (const Listed& one : listed) why.push_back(fmt::format("{} ({})", step_name(one.step), one.missing));
  throw bad_input(fmt::format("{} has no complete checkpoint: {}", said(folder), some_of(why)),
                  "give the folder of another run");
}

// The folder of the steps, if this is a run's folder, or itself that folder.
std::optional<fs::path> folder_of_steps(const fs::path& folder) {
  if (is_folder(folder / kFolder)) return folder / kFolder;
  if (folder.filename() == kFolder) return folder;
  return std::nullopt;
}

bool is_checkpoint(const fs::path& folder) {
  std::error_code unknown;
  return step_of(folder.filename().string()) || fs::exists(folder / kDoneFile, unknown);
}

std::string next_older(const fs::path& folder) {
  const std::optional<std::int64_t> step = step_of(folder.filename().string());
  if (!step) return "take another checkpoint";
  for (const Listed& listed : list_steps(folder.parent_path())) {
    if (listed.step < *step && listed.is_complete()) {
      return fmt::format("take the next older one: {}", said(listed.folder));
    }
  }
  return "there is no older one beside it; take one of another run";
}

std::uint32_t sum_of(const fs::path& path, const std::function<void(std::size_t)>& add) {
  const InputFile file(path);
  std::vector<std::byte> block(std::size_t{1} << 20);
  std::uint32_t sum = 0;
  for (std::uint64_t at = 0; at < file.size();) {
    const std::span<std::byte> part =
        std::span(block).first(std::min<std::uint64_t>(block.size(), file.size() - at));
    file.read(at, part);
    sum = crc32_of(part, sum);
    at += part.size();
    add(part.size());
  }
  return sum;
}

std::int64_t number_in(std::string_view name, std::size_t begin) {
  std::int64_t number = -1;
  std::from_chars(name.data() + begin, name.data() + name.size(), number);
  return number;
}

}  // namespace

std::vector<Listed> list_checkpoints(const fs::path& run) { return list_steps(run / kFolder); }

Found find_checkpoints(const fs::path& given) {
  const fs::path folder = plain(given);
  if (!is_folder(folder)) {
    std::error_code unknown;
    throw bad_input(
        fmt::format("{} is {}", said(given), fs::exists(folder, unknown) ? "no folder" : "not there"),
        kGiveAnother);
  }
  Found found;
  if (const std::optional<fs::path> steps = folder_of_steps(folder)) {
    found.is_run = true;
    found.checkpoints = list_steps(*steps);
  } else if (is_checkpoint(folder)) {
    found.checkpoints.push_back(
        {step_of(folder.filename().string()).value_or(0), folder, contents_of(folder).missing});
  }
  if (found.checkpoints.empty()) {
    throw bad_input(fmt::format("{} has no checkpoint: {}", said(given), entries_of(folder)), kGiveAnother);
  }
  return found;
}

Saved Saved::open(const fs::path& given) {
  const Found found = find_checkpoints(given);
  const std::vector<Listed>& listed = found.checkpoints;
  if (!found.is_run) return Saved(listed.front().folder);
  const auto newest =
      std::find_if(listed.begin(), listed.end(), [](const Listed& l) { return l.is_complete(); });
  if (newest == listed.end()) refuse_all(given, listed);
  Saved saved(newest->folder);
  for (auto newer = listed.begin(); newer != newest; ++newer) {
    saved.passed_over_.push_back(fmt::format("{} is not complete: {}", said(newer->folder), newer->missing));
  }
  return saved;
}

Saved::Saved(fs::path folder) : folder_(std::move(folder)) {
  Contents contents = contents_of(folder_);
  if (!contents.missing.empty()) {
    throw bad_input(fmt::format("{} is not complete: {}", said(folder_), contents.missing),
                    next_older(folder_));
  }
  files_ = std::move(contents.files);
  try {
    state_ = read_state(read_text(folder_ / kStateFile, kMostTextBytes), said(folder_ / kStateFile));
    config_ = read_text(folder_ / kConfigFile, kMostTextBytes);
  } catch (const Error& error) {
    throw bad_input(error.failure().what, next_older(folder_));
  }
}

bool Saved::has(std::string_view file) const {
  return std::any_of(files_.begin(), files_.end(), [&](const FileSum& one) { return one.name == file; });
}

std::vector<std::string> Saved::files_of(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const FileSum& file : files_) {
    if (file.name.starts_with(prefix) && file.name.ends_with(kTensorsEnd)) names.push_back(file.name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return number_in(a, prefix.size()) < number_in(b, prefix.size());
  });
  return names;
}

SafetensorsFile Saved::open_file(const std::string& file) const {
  if (!has(file)) {
    throw bad_input(fmt::format("{} has no {}", said(folder_), printable(file)), next_older(folder_));
  }
  try {
    return SafetensorsFile(folder_ / file);
  } catch (const Error& error) {
    throw bad_input(error.failure().what, next_older(folder_));
  }
}

std::vector<Damage> Saved::damages(const Progress& progress) const {
  std::vector<Damage> all;
  std::uint64_t done = 0;
  const auto add = [&](std::size_t bytes) {
    done += bytes;
    if (progress) progress(done);
  };
  for (const FileSum& file : files_) {
    if (std::string difference = size_difference(folder_, file); !difference.empty()) {
      all.push_back({file.name, difference});
      continue;
    }
    const std::uint32_t sum = sum_of(folder_ / file.name, add);
    if (sum != file.crc32) {
      all.push_back(
          {file.name, fmt::format("{} has the sum {:08x} instead of {:08x}", file.name, sum, file.crc32)});
    } else if (std::string lie = lie_in(folder_, file.name); !lie.empty()) {
      all.push_back({file.name, std::move(lie)});
    }
  }
  return all;
}

void Saved::require_whole(const Progress& progress) const {
  const std::vector<Damage> all = damages(progress);
  if (all.empty()) return;
  throw bad_input(fmt::format("{} is damaged: {}", said(folder_), all.front().what), next_older(folder_));
}

}  // namespace trireme::checkpoint
