#include "cli/doctor/doctor_host.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "base/system/cores.h"
#include "base/text.h"
#include "wire/shm/segment.h"

namespace trireme::cli {
namespace {

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

std::optional<double> ratio(std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

// Version 2: "200000 100000" or "max 100000".
std::optional<double> quota_of_group(const ReadFile& read, const std::string& folder) {
  const std::optional<std::string> text = read(folder + "/cpu.max");
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = split(*text, ' ');
  return words.size() < 2 ? std::nullopt : ratio(number_of(words[0]), number_of(words[1]));
}

// Version 1: two files, and −1 for no limit.
std::optional<double> quota_of_old_group(const ReadFile& read, const std::string& folder) {
  return ratio(number_of(read(folder + "/cpu.cfs_quota_us").value_or("")),
               number_of(read(folder + "/cpu.cfs_period_us").value_or("")));
}

// "0::/a/b" or "1:cpu,cpuacct:/a/b": the number, the controllers and the group of this process.
struct GroupLine {
  std::vector<std::string_view> controllers;
  std::string group;
};

std::optional<GroupLine> parse_group_line(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return GroupLine{split(std::string_view(line).substr(first + 1, second - first - 1), ','),
                   line.substr(second + 1)};
}

// A limit on a group applies to all groups inside it.
template <typename QuotaOf>
void lower(std::optional<double>& least, std::string group, const std::string& root,
           const QuotaOf& quota_of) {
  while (true) {
    if (group == "/") group.clear();
    const std::optional<double> quota = quota_of(root + group);
    if (quota) least = std::min(*quota, least.value_or(*quota));
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return;
    group.erase(slash);
  }
}

std::string try_memfd() {
  const int fd = ::memfd_create("trireme-doctor", MFD_CLOEXEC);
  if (fd < 0) return std::strerror(errno);
  std::string error = ::ftruncate(fd, 4096) == 0 ? "" : std::strerror(errno);
  ::close(fd);
  return error;
}

std::optional<std::int64_t> size_of_dev_shm() {
  struct statvfs space {};
  if (::statvfs("/dev/shm", &space) != 0) return std::nullopt;
  return static_cast<std::int64_t>(space.f_blocks * space.f_frsize);
}

std::optional<std::string> address_of(const sockaddr* socket) {
  char text[INET6_ADDRSTRLEN];
  const void* number = nullptr;
  if (socket == nullptr) return std::nullopt;
  if (socket->sa_family == AF_INET) number = &reinterpret_cast<const sockaddr_in*>(socket)->sin_addr;
  if (socket->sa_family == AF_INET6) number = &reinterpret_cast<const sockaddr_in6*>(socket)->sin6_addr;
  if (number == nullptr || ::inet_ntop(socket->sa_family, number, text, sizeof(text)) == nullptr) {
    return std::nullopt;
  }
  return text;
}

std::vector<Interface> find_interfaces() {
  std::vector<Interface> interfaces;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return interfaces;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    const std::optional<std::string> address = address_of(at->ifa_addr);
    if (!address) continue;
    interfaces.push_back(
        {at->ifa_name, *address, (at->ifa_flags & IFF_UP) != 0, (at->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return interfaces;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::optional<double> find_quota(const ReadFile& read) {
  std::optional<double> least;
  std::istringstream lines(read("/proc/self/cgroup").value_or("0::/"));
  for (std::string line; std::getline(lines, line);) {
    const std::optional<GroupLine> parsed = parse_group_line(line);
    if (!parsed) continue;
    const auto& [controllers, group] = *parsed;
    if (std::find(controllers.begin(), controllers.end(), "cpu") != controllers.end()) {
      lower(least, group, "/sys/fs/cgroup/cpu", [&](const auto& at) { return quota_of_old_group(read, at); });
    } else if (line.starts_with("0::")) {
      lower(least, group, "/sys/fs/cgroup", [&](const auto& at) { return quota_of_group(read, at); });
    }
  }
  return least;
}

std::string chosen_setting(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', std::min(open, text.size()));
  if (close == std::string_view::npos) return "";
  return std::string(text.substr(open + 1, close - open - 1));
}

HostFacts examine_host() {
  HostFacts facts;
  facts.cores = Cores().count();
  facts.quota = find_quota(read_file);
  facts.memory_left = static_cast<std::int64_t>(
      std::min<std::size_t>(wire::shm::memory_left(), std::numeric_limits<std::int64_t>::max()));
  facts.memfd_error = try_memfd();
  facts.dev_shm_bytes = size_of_dev_shm();
  facts.shared_huge_pages =
      chosen_setting(read_file("/sys/kernel/mm/transparent_hugepage/shmem_enabled").value_or(""));
  facts.interfaces = find_interfaces();
  return facts;
}

}  // namespace trireme::cli
