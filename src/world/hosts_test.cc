#include "world/hosts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "wire/threads/in_process.h"

namespace trireme::world {
namespace {

using Cards = std::vector<std::vector<std::byte>>;

// The hosts that every node finds, by rank.
std::vector<Hosts> find_all(const Cards& cards) {
  const auto nodes = static_cast<Rank>(cards.size());
  wire::threads::InProcessFabric fabric(nodes);
  std::vector<Hosts> found(cards.size());
  {
    std::vector<std::jthread> threads;
    for (Rank rank = 0; rank < nodes; ++rank) {
      threads.emplace_back([&, rank] {
        found[idx(rank)] = find_hosts(fabric.wire(rank), cards, Deadline::after(std::chrono::seconds(60)));
      });
    }
  }
  return found;
}

TEST(ASharedPage, IsVisibleOnItsHost) {
  const SharedPage page;
  EXPECT_TRUE(SharedPage::is_visible(page.card()));
}

TEST(ASharedPage, IsGoneWithItsProcess) {
  std::vector<std::byte> card;
  {
    const SharedPage page;
    card = page.card();
  }
  EXPECT_FALSE(SharedPage::is_visible(card));
}

TEST(ASharedPage, WithAnotherMarkIsSomethingElse) {
  const SharedPage page;
  std::vector<std::byte> card = page.card();
  card.back() ^= std::byte{1};
  EXPECT_FALSE(SharedPage::is_visible(card));
}

TEST(ASharedPage, IsNotBelievedInWhateverACardSays) {
  EXPECT_FALSE(SharedPage::is_visible({}));
  EXPECT_FALSE(SharedPage::is_visible(std::vector<std::byte>(48, std::byte{0xff})));
  EXPECT_FALSE(SharedPage::is_visible(std::vector<std::byte>(1000)));
}

TEST(Nodes, ThatSeeEachOthersPagesShareAHost) {
  const SharedPage pages[3];
  const std::vector<Hosts> found = find_all({pages[0].card(), pages[1].card(), pages[2].card()});
  found[0].segment->bell(2).core = 7;
  for (const Hosts& hosts : found) {
    EXPECT_EQ(hosts.count(), 1);
    EXPECT_EQ(hosts.first, (std::vector<Rank>{0, 0, 0}));
    EXPECT_EQ(hosts.segment->nodes(), 3);
    EXPECT_EQ(hosts.segment->bell(2).core, 7) << "it is the same memory";
  }
}

TEST(Nodes, NeedNotBeSeenByTheOneThatTheySee) {
  const SharedPage pages[3];
  std::vector<std::byte> elsewhere = pages[1].card();
  elsewhere.back() ^= std::byte{1};
  const std::vector<Hosts> found = find_all({pages[0].card(), elsewhere, pages[2].card()});
  // Rank 1 sees rank 0's page, though nobody sees its own: that one page is enough to find the memory.
  for (const Hosts& hosts : found) EXPECT_EQ(hosts.first, (std::vector<Rank>{0, 0, 0}));
}

TEST(Nodes, OfDifferentHostsHaveMemoryOfTheirOwn) {
  const SharedPage pages[2];
  std::vector<std::byte> elsewhere = pages[0].card();
  elsewhere.back() ^= std::byte{1};
  const std::vector<Hosts> found = find_all({elsewhere, pages[1].card()});
  for (Rank rank = 0; rank < 2; ++rank) {
    const Hosts& hosts = found[idx(rank)];
    EXPECT_EQ(hosts.count(), 2);
    EXPECT_EQ(hosts.here(rank), (std::vector<bool>{rank == 0, rank == 1}));
  }
  found[0].segment->bell(1).core = 7;
  EXPECT_EQ(found[1].segment->bell(1).core, 0);
}

}  // namespace
}  // namespace trireme::world
