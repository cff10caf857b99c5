// Shared by the tests of data files: right and wrong idx and npy files.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/scratch_folder_test_util.h"
#include "base/types.h"

namespace trireme::data {

using ByteString = std::vector<std::uint8_t>;

inline std::string_view as_text(const ByteString& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline ByteString joined(ByteString first, const ByteString& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

inline ByteString idx_header(const std::vector<std::uint32_t>& dimensions) {
  ByteString bytes{0, 0, 8, static_cast<std::uint8_t>(dimensions.size())};
  for (const std::uint32_t dimension : dimensions) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(dimension >> shift));
  }
  return bytes;
}

inline ByteString idx_bytes(const std::vector<std::uint32_t>& dimensions, const ByteString& elements) {
  return joined(idx_header(dimensions), elements);
}

// An npy file of version 1 with this dictionary, with the elements as they lie in memory.
template <typename Number>
ByteString npy_with(const std::string& dictionary, const std::vector<Number>& numbers) {
  ByteString bytes{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  bytes.push_back(static_cast<std::uint8_t>(dictionary.size() & 0xff));
  bytes.push_back(static_cast<std::uint8_t>(dictionary.size() >> 8));
  bytes.insert(bytes.end(), dictionary.begin(), dictionary.end());
  const auto* first = reinterpret_cast<const std::uint8_t*>(numbers.data());
  bytes.insert(bytes.end(), first, first + numbers.size() * sizeof(Number));
  return bytes;
}

inline std::string npy_dictionary(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

// 0, 1, 2, … 255, 0, …
inline ByteString counting(std::size_t count) {
  ByteString bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

inline ByteString gzip(ByteString bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  ByteString compressed(deflateBound(&stream, bytes.size()));
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = compressed.data();
  stream.avail_out = static_cast<uInt>(compressed.size());
  deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

// The text of the `Error` (bad input) that the function throws.
template <typename Function>
std::string refusal_of(const Function& function) {
  try {
    (void)function();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
    EXPECT_NE(error.failure().hint, "");
    return error.what();
  }
  return "accepted";
}

}  // namespace trireme::data
