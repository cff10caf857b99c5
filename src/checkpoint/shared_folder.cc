#include "checkpoint/shared_folder.h"

#include <fmt/format.h>

#include <random>
#include <system_error>

#include "checkpoint/summed_file.h"

namespace trireme::checkpoint {
namespace {

std::uint64_t random_token() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

std::filesystem::path mark_file(const std::filesystem::path& folder, std::uint64_t token) {
  return folder / fmt::format(".mark-{:016x}", token);
}

}  // namespace

Mark::Mark(const std::filesystem::path& folder) : token_(random_token()), file_(mark_file(folder, token_)) {
  (void)write_summed(file_, "Shows other hosts that they see this folder.\n");
}

Mark::~Mark() {
  std::error_code ignored;  // the file has no meaning for anybody later
  std::filesystem::remove(file_, ignored);
}

bool sees_mark(const std::filesystem::path& folder, std::uint64_t token) {
  std::error_code unknown;
  return std::filesystem::exists(mark_file(folder, token), unknown);
}

}  // namespace trireme::checkpoint
