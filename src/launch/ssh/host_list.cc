#include "launch/ssh/host_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "launch/job.h"

namespace trireme::launch::ssh {
namespace {

constexpr const char* kHowTo = "give each host once with its number of nodes, like a:4,b:4";

Error wrong(std::string_view what, const std::string& sentence) {
  return bad_input(fmt::format("{}: {}", what, sentence), kHowTo);
}

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-@%:").find(c) != std::string_view::npos;
}

// ssh would take a name that begins with a dash for one of its flags.
bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.back() != '@' &&
         std::all_of(name.begin(), name.end(), is_of_a_name);
}

struct Entry {
  std::string_view name;
  std::string_view number;
};

// The number is after the last colon; an IPv6 address stands in brackets.
Entry take_apart(std::string_view entry, std::string_view what) {
  const std::size_t bracket = entry.starts_with('[') ? entry.find(']') : 0;
  if (bracket == std::string_view::npos) {
    throw wrong(what, fmt::format("'{}' has no closing bracket", printable(entry)));
  }
  const std::size_t colon = entry.find(':', bracket);
  std::string_view name = entry.substr(0, colon);
  if (bracket > 0) {
    if (name.size() != bracket + 1) throw wrong(what, fmt::format("'{}' is no host", printable(entry)));
    name = name.substr(1, bracket - 1);
  }
  return {name, colon == std::string_view::npos ? "1" : entry.substr(colon + 1)};
}

HostPart parse_entry(std::string_view entry, std::string_view what) {
  if (entry.empty()) throw wrong(what, "an entry is empty");
  const auto [name, number] = take_apart(entry, what);
  if (name.empty()) throw wrong(what, fmt::format("'{}' has no name", printable(entry)));
  if (!is_name(name)) throw wrong(what, fmt::format("'{}' is no name of a host", printable(name)));
  HostPart part;
  part.name = name;
  part.nodes =
      static_cast<Rank>(parse_integer(number, fmt::format("{} {}", what, name), 1, JobOptions::kMaxNodes));
  return part;
}

}  // namespace

std::vector<HostPart> parse_hosts(std::string_view text, std::string_view what) {
  std::vector<HostPart> hosts;
  for (const std::string_view entry : split(text, ',')) {
    HostPart part = parse_entry(entry, what);
    const auto is_same = [&](const HostPart& other) { return other.name == part.name; };
    if (std::any_of(hosts.begin(), hosts.end(), is_same)) {
      throw wrong(what, fmt::format("'{}' is there twice", part.name));
    }
    part.first = nodes_of(hosts);
    if (part.first + part.nodes > JobOptions::kMaxNodes) {
      throw bad_input(fmt::format("{}: more than {} nodes", what, with_commas(JobOptions::kMaxNodes)),
                      "start fewer");
    }
    hosts.push_back(std::move(part));
  }
  return hosts;
}

Rank nodes_of(const std::vector<HostPart>& hosts) {
  return hosts.empty() ? 0 : hosts.back().first + hosts.back().nodes;
}

std::string without_user(const std::string& name) {
  const std::size_t at = name.rfind('@');
  return at == std::string::npos ? name : name.substr(at + 1);
}

}  // namespace trireme::launch::ssh
