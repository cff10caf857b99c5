#include "base/random_stream.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace trireme {
namespace {

constexpr std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }
constexpr std::uint32_t high(std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); }

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x01000193;
  return hash;
}

// The logarithm of a normal positive number, correct to the last bit or two. std::log is as exact, but
// differs between machines.
double logarithm(double x) {
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);  // exact
  if (fraction < std::numbers::sqrt2 / 2) {
    fraction *= 2;
    --exponent;
  }
  // log((1 + s) / (1 − s)) = 2 (s + s³/3 + s⁵/5 + …); |s| < 0.172, so s²⁴ is beyond the last bit.
  const double s = (fraction - 1) / (fraction + 1);
  const double square = s * s;
  double series = 0;
  for (int i = 23; i >= 1; i -= 2) series = series * square + 1.0 / i;
  return exponent * std::numbers::ln2 + 2 * s * series;
}

}  // namespace

PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9e3779b9;  // the golden ratio
    key[1] += 0xbb67ae85;  // √3 − 1
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, Rank rank, std::int64_t step) {
  const auto number = static_cast<std::uint64_t>(step);
  const PhiloxBlock name = philox(
      {low(number), high(number), static_cast<std::uint32_t>(rank), fnv1a(purpose)}, {low(seed), high(seed)});
  key_ = {name[0], name[1]};
  counter_ = {0, 0, name[2], name[3]};
}

std::uint32_t RandomStream::next_32() {
  if (taken_ == block_.size()) {
    block_ = philox(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    taken_ = 0;
  }
  return block_[taken_++];
}

std::uint64_t RandomStream::next_64() {
  const std::uint64_t first = next_32();
  return std::uint64_t{next_32()} << 32 | first;
}

double RandomStream::uniform() { return static_cast<double>(next_64() >> 11) * 0x1p-53; }

std::uint64_t RandomStream::below(std::uint64_t n) {
  assert(n > 0);
  auto product = static_cast<unsigned __int128>(next_64()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t surplus = (0 - n) % n;  // 2⁶⁴ modulo n
    while (static_cast<std::uint64_t>(product) < surplus) {
      product = static_cast<unsigned __int128>(next_64()) * n;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::normal() {
  if (second_) return *std::exchange(second_, std::nullopt);
  double x = 0;
  double y = 0;
  double square = 0;
  do {  // until the point lies in the circle
    x = 2 * uniform() - 1;
    y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * logarithm(square) / square);
  second_ = y * factor;
  return x * factor;
}

std::vector<std::int64_t> permutation(std::int64_t n, RandomStream& stream) {
  std::vector<std::int64_t> order(idx(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[stream.below(left)]);
  }
  return order;
}

}  // namespace trireme
