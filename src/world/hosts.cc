#include "world/hosts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "wire/notes.h"
#include "wire/rendezvous/secret.h"

namespace trireme::world {
namespace {

// The content of a card.
struct Finding {
  std::int64_t process = 0;
  std::int64_t file = 0;
  std::array<std::byte, 32> mark{};
};

// The facts that a node has found out about its host.
struct Discovery {
  std::int64_t first = 0;    // the lowest rank whose page it can see
  std::int64_t process = 0;  // where its segment can be opened
  std::int64_t file = 0;
};

template <typename T>
std::vector<T> from_notes(const std::vector<std::byte>& notes) {
  std::vector<T> values(notes.size() / sizeof(T));
  std::memcpy(values.data(), notes.data(), notes.size());
  return values;
}

Fd open_of(std::int64_t process, std::int64_t file, int flags) {
  return Fd(::open(fmt::format("/proc/{}/fd/{}", process, file).c_str(), flags | O_CLOEXEC | O_NONBLOCK));
}

Rank lowest_visible(const std::vector<std::vector<std::byte>>& cards, Rank own) {
  for (Rank rank = 0; rank < own; ++rank) {
    if (SharedPage::is_visible(cards[idx(rank)])) return rank;
  }
  return own;
}

std::shared_ptr<wire::shm::Segment> open_segment(const wire::Wire& wire, const Hosts& hosts,
                                                 const std::vector<Discovery>& discoveries) {
  const Rank first = hosts.first[idx(wire.rank())];
  if (first == wire.rank()) return wire::shm::Segment::create(wire.size());
  const Discovery& host = discoveries[idx(first)];
  const Fd file = open_of(host.process, host.file, O_RDWR);
  if (!file) throw_errno("open the shared memory of this host");
  return wire::shm::Segment::open(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace

SharedPage::SharedPage() : mark_(wire::rendezvous::random_nonce()) {
  file_ = own(::memfd_create("trireme-page", MFD_CLOEXEC), "make a page of shared memory");
  if (::pwrite(file_.get(), mark_.data(), mark_.size(), 0) != static_cast<ssize_t>(mark_.size())) {
    throw_errno("write a page of shared memory");
  }
}

std::vector<std::byte> SharedPage::card() const {
  const Finding finding{.process = ::getpid(), .file = file_.get(), .mark = mark_};
  const auto bytes = std::as_bytes(std::span(&finding, 1));
  return {bytes.begin(), bytes.end()};
}

bool SharedPage::is_visible(const std::vector<std::byte>& card) {
  Finding finding;
  if (card.size() != sizeof(finding)) return false;
  std::memcpy(&finding, card.data(), sizeof(finding));
  const Fd file = open_of(finding.process, finding.file, O_RDONLY);
  std::array<std::byte, 32> mark;
  return file && ::pread(file.get(), mark.data(), mark.size(), 0) == static_cast<ssize_t>(mark.size()) &&
         mark == finding.mark;
}

int Hosts::count() const { return static_cast<int>(std::set<Rank>(first.begin(), first.end()).size()); }

std::vector<bool> Hosts::here(Rank rank) const {
  std::vector<bool> here;
  for (const Rank other : first) here.push_back(other == first[idx(rank)]);
  return here;
}

// The first of each host makes the memory; everybody has just seen that it can be opened.
Hosts find_hosts(wire::Wire& wire, const std::vector<std::vector<std::byte>>& cards,
                 const Deadline& deadline) {
  constexpr const char* kWhere = "finding out who shares a host";
  Hosts hosts;
  const Rank first = lowest_visible(cards, wire.rank());
  Discovery own_discovery{.first = first, .process = ::getpid(), .file = -1};
  if (first == wire.rank()) {
    hosts.segment = wire::shm::Segment::create(wire.size());
    own_discovery.file = hosts.segment->fd();
  }
  const auto discoveries = from_notes<Discovery>(
      wire::share_notes(wire, std::as_bytes(std::span(&own_discovery, 1)), kWhere, deadline));
  for (std::size_t rank = 0; rank < discoveries.size(); ++rank) {
    const std::int64_t found = discoveries[rank].first;
    // One that another cannot see may see it: then they do not share a host for our purposes.
    const bool sane =
        found >= 0 && found <= static_cast<std::int64_t>(rank) && discoveries[idx(found)].first == found;
    hosts.first.push_back(static_cast<Rank>(sane ? found : static_cast<std::int64_t>(rank)));
  }
  if (!hosts.segment) hosts.segment = open_segment(wire, hosts, discoveries);
  // Nobody goes on, and perhaps ends, before all have opened it.
  static_cast<void>(wire::share_notes(wire, {}, kWhere, deadline));
  return hosts;
}

}  // namespace trireme::world
