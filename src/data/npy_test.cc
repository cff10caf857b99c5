#include "data/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "data/data_test_util.h"

namespace trireme::data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

NumberArray npy_of(const ByteString& bytes) {
  const ScratchFolder folder;
  return read_npy(folder.write("a.npy", as_text(bytes)));
}

std::string npy_refusal(const ByteString& bytes) {
  return refusal_of([&] { return read_npy_header(bytes, "a.npy"); });
}

std::string dictionary_refusal(const std::string& dictionary) {
  return npy_refusal(npy_with(dictionary, std::vector<float>(6)));
}

std::vector<double> doubles_of(const NumberArray& array) {
  std::vector<double> numbers(idx(array.elements.size()));
  array.elements.read(0, numbers);
  return numbers;
}

template <typename Number>
void expect_npy_of(const std::string& type, const std::vector<Number>& numbers) {
  const std::string shape = "(" + std::to_string(numbers.size()) + ", 1)";
  const std::vector<double> expected(numbers.begin(), numbers.end());
  RC_ASSERT(doubles_of(npy_of(npy_with(npy_dictionary("<" + type, shape), numbers))) == expected);
  std::vector<Number> turned = numbers;
  for (Number& number : turned) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(&number);
    std::reverse(bytes, bytes + sizeof number);
  }
  RC_ASSERT(doubles_of(npy_of(npy_with(npy_dictionary(">" + type, shape), turned))) == expected);
}

RC_GTEST_PROP(Npy, HoldsNumbersOfEveryTypeInEitherOrderOfBytes, ()) {
  const auto some = [](auto example) {
    return *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<decltype(example)>>());
  };
  expect_npy_of("u1", some(std::uint8_t{}));
  expect_npy_of("i1", some(std::int8_t{}));
  expect_npy_of("u2", some(std::uint16_t{}));
  expect_npy_of("i2", some(std::int16_t{}));
  expect_npy_of("u4", some(std::uint32_t{}));
  expect_npy_of("i4", some(std::int32_t{}));
  expect_npy_of("u8", some(std::uint64_t{}));
  expect_npy_of("i8", some(std::int64_t{}));
  expect_npy_of("f4", some(float{}));
  expect_npy_of("f8", some(double{}));
}

// The header is padded to 128 bytes and ends with a line break, as the description of the format asks for.
TEST(Npy, HasAPaddedHeader) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  text.resize(117, ' ');
  const NumberArray array = npy_of(npy_with(text + "\n", std::vector<float>{1.5, -2, 0, 3}));
  EXPECT_EQ(array.dimensions, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(array.elements.type(), NumberType::kFloat32);
  EXPECT_EQ(doubles_of(array), (std::vector<double>{1.5, -2, 0, 3}));
}

TEST(Npy, MayHaveALaterVersionWithALongerLength) {
  ByteString bytes = npy_with(npy_dictionary("|u1", "(3,)"), counting(3));
  for (const std::uint8_t version : ByteString{2, 3}) {
    ByteString later = bytes;
    later[6] = version;
    later.insert(later.begin() + 10, {0, 0});
    EXPECT_EQ(doubles_of(npy_of(later)), (std::vector<double>{0, 1, 2}));
  }
  bytes[6] = 4;
  EXPECT_EQ(npy_refusal(bytes),
            "a.npy: its format has version 4, 1 to 3 can be read; save it again with numpy.save");
}

TEST(Npy, OfFortranOrderIsRefused) {
  EXPECT_EQ(
      dictionary_refusal("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"),
      "a.npy: its elements are in Fortran order, column by column; save it in C order: numpy.save(path, "
      "numpy.ascontiguousarray(array))");
}

TEST(Npy, OfAnythingButNumbersIsRefusedInWords) {
  const auto words = [](const std::string& type) { return dictionary_refusal(npy_dictionary(type, "(6,)")); };
  EXPECT_EQ(
      words("<c8"),
      "a.npy: its elements are of type '<c8' (complex numbers); float32, float64 and whole numbers can be "
      "read; convert it: numpy.save(path, array.astype('float32')), or another number type");
  EXPECT_THAT(words("|b1"), HasSubstr("'|b1' (true and false)"));
  EXPECT_THAT(words("|O"), HasSubstr("'|O' (Python objects)"));
  EXPECT_THAT(words("<U3"), HasSubstr("'<U3' (text)"));
  EXPECT_THAT(words("<f2"), HasSubstr("'<f2' (floats of another size)"));
  EXPECT_THAT(words("<M8[ns]"), HasSubstr("'<M8[ns]' (times)"));
  EXPECT_THAT(words("|f4"), HasSubstr("of type '|f4'"));
  EXPECT_THAT(words(""), HasSubstr("of the unknown type ''"));
  EXPECT_THAT(dictionary_refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}"),
              HasSubstr("its elements are records of several fields, and must be numbers"));
}

TEST(Npy, CutOrTooLongIsRefused) {
  const ByteString whole = npy_with(npy_dictionary("<f4", "(2, 3)"), std::vector<float>(6));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(npy_refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}), "accepted");
  }
  ByteString cut = whole;
  cut.pop_back();
  EXPECT_EQ(npy_refusal(cut),
            "a.npy: the file ends after 92 bytes, the header announces 2 × 3 elements, which makes 93 bytes; "
            "save it again with numpy.save");
  EXPECT_THAT(npy_refusal(joined(whole, {0})), HasSubstr("the file holds 94 bytes, the header announces"));
  cut.resize(20);
  EXPECT_THAT(npy_refusal(cut), StartsWith("a.npy: the file ends after 20 bytes, within its header; "));
}

TEST(Npy, ThatIsSomethingElseIsRefused) {
  EXPECT_EQ(
      npy_refusal({'1', ',', '2'}),
      "a.npy: the file does not begin like an npy file; write it with numpy.save, one array in each file");
  EXPECT_THAT(npy_refusal({'P', 'K', 3, 4, 0, 0, 0}),
              HasSubstr("this is a zip archive, such as numpy.savez"));
}

TEST(Npy, WithABrokenHeaderIsRefused) {
  for (const char* dictionary :
       {"", "{", "{'descr'", "{'descr': '<f4", "{'shape': (6,)", "{'shape': (6", "{'shape': (-6,), }",
        "{'shape': (6 6), }", "{'shape': (99999999999999999999,), }", "{'fortran_order': 1}", "[]",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } more"}) {
    EXPECT_THAT(dictionary_refusal(dictionary), HasSubstr("its header is not understood at '")) << dictionary;
  }
  EXPECT_THAT(dictionary_refusal("{'descr': '<f4', 'shape': (6,)}"),
              HasSubstr("its header lacks 'fortran_order'; "));
  EXPECT_THAT(dictionary_refusal("{'nonsense': 3}"),
              HasSubstr("its header has the unknown key 'nonsense'; "));
}

TEST(Npy, OfNoOrTooManyElementsIsRefused) {
  const auto words = [](const std::string& shape) {
    return dictionary_refusal(npy_dictionary("<f4", shape));
  };
  EXPECT_THAT(words("()"), HasSubstr("it holds a single number, and not an array; "));
  EXPECT_THAT(words("(0, 6)"), HasSubstr("the header announces 0 × 6 elements, which are none; "));
  EXPECT_THAT(words("(9223372036854775807, 9223372036854775807)"),
              HasSubstr("more than the 1,099,511,627,776 that can be read"));
  EXPECT_THAT(words("(1, 1, 1, 1, 6)"), HasSubstr("the array has more than 4 dimensions"));
}

}  // namespace
}  // namespace trireme::data
