// Against the vectors of FIPS 180-2.
#include "train/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trireme::train {
namespace {

std::string digest_of(const std::vector<std::string>& pieces) {
  Sha256 sha;
  for (const std::string& piece : pieces) sha.add(std::as_bytes(std::span(piece)));
  return sha.finish();
}

TEST(Sha256, OfNothingIsTheWellKnownOne) {
  EXPECT_EQ(digest_of({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(digest_of({"abc"}), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of({std::string(1'000'000, 'a')}),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreCut) { EXPECT_EQ(digest_of({"a", "", "bc"}), digest_of({"abc"})); }

}  // namespace
}  // namespace trireme::train
