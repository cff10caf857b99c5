#include "wire/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trireme::wire {
namespace {

constexpr std::size_t kPage = 4096;

// The bytes of `from` arrive `distance` bytes after the same position in another page, and nothing else
// changes.
void expect_copied(std::size_t bytes, std::size_t distance) {
  std::vector<std::byte> from(kPage + bytes), into(2 * kPage + bytes), expected(into.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37 % 251);
  const auto place = reinterpret_cast<std::uintptr_t>(from.data()) + distance;
  const std::size_t at = (place - reinterpret_cast<std::uintptr_t>(into.data())) % kPage;
  std::copy_n(from.begin(), bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
  copy_bytes(into.data() + at, from.data(), bytes);
  EXPECT_EQ(into, expected) << bytes << " bytes, " << distance << " apart";
}

TEST(CopyBytes, CopiesAnyNumberAtAnyDistance) {
  for (const std::size_t bytes : {0U, 1U, 63U, 2047U, 2048U, 2049U, 4095U, 4096U, 10'000U, 65'537U}) {
    for (const std::size_t distance : {0U, 1U, 4U, 16U, 31U, 32U, 33U, 64U, 4080U})
      expect_copied(bytes, distance);
  }
}

TEST(CopyBytes, AcceptsNullForNoBytes) {
  std::byte untouched{7};
  copy_bytes(&untouched, nullptr, 0);
  EXPECT_EQ(untouched, std::byte{7});
  EXPECT_NO_THROW(copy_bytes(nullptr, nullptr, 0));
}

}  // namespace
}  // namespace trireme::wire
