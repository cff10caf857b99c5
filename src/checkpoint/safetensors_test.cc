#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/little_endian.h"
#include "base/system/scratch_folder_test_util.h"
#include "checkpoint/checkpoint_test_util.h"
#include "checkpoint/safetensors_file.h"
#include "checkpoint/safetensors_writer.h"

namespace trireme::checkpoint {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A file of this header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data_bytes,
                    std::optional<std::uint64_t> length = {}) {
  ByteWriter writer;
  writer.put(length.value_or(header.size()));
  const std::span<const std::byte> number = writer.bytes();
  return std::string(reinterpret_cast<const char*>(number.data()), number.size()) + header +
         std::string(data_bytes, 'x');
}

SafetensorsHeader header_in(const std::string& file) {
  return read_safetensors_header(std::as_bytes(std::span(file)), file.size(), "a.safetensors");
}

std::string refusal_of_file(const std::string& file) {
  return refusal([&] { return header_in(file); });
}

std::string refusal_of_header(const std::string& header, std::size_t data_bytes) {
  return refusal_of_file(file_of(header, data_bytes));
}

std::string stream(const std::vector<TensorView>& tensors, const Metadata& metadata = {}) {
  std::string file;
  stream_safetensors(tensors, metadata, [&](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return file;
}

// Bytes for a tensor of any type and shape.
struct AnyTensor {
  TensorInfo info;
  std::vector<std::byte> bytes;
};

std::vector<AnyTensor> any_tensors() {
  std::vector<AnyTensor> tensors;
  const int count = *rc::gen::inRange(0, 8);
  for (int i = 0; i < count; ++i) {
    AnyTensor tensor;
    tensor.info.name =
        *rc::gen::element<std::string>("", "a", "fc1.weight", "é", "\"", "a\nb") + std::to_string(i);
    tensor.info.type = static_cast<TensorType>(*rc::gen::inRange(0, static_cast<int>(TensorType::kF64) + 1));
    tensor.info.shape.resize(*rc::gen::inRange<std::size_t>(0, 4));
    for (std::uint64_t& size : tensor.info.shape) size = *rc::gen::inRange<std::uint64_t>(0, 5);
    tensor.bytes.resize(*byte_count(tensor.info));
    for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(*rc::gen::inRange(0, 256));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

RC_GTEST_PROP(Safetensors, GiveBackWhatWasWritten, ()) {
  const std::vector<AnyTensor> tensors = any_tensors();
  const auto metadata =
      *rc::gen::elementOf(std::vector<Metadata>{{}, {{"format", "pt"}}, {{"", "\\"}, {"é", ""}}});
  std::vector<TensorView> views;
  views.reserve(tensors.size());
  for (const AnyTensor& tensor : tensors) views.push_back({tensor.info, tensor.bytes});
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch.path() / "a.safetensors";
  const FileSum sum = write_safetensors(path, views, metadata);
  const SafetensorsFile file(path);
  RC_ASSERT(sum.bytes == std::filesystem::file_size(path));
  const std::string bytes = content(path);
  RC_ASSERT(sum.crc32 == crc32_of(std::as_bytes(std::span(bytes))));
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.tensors().size() == tensors.size());
  for (const AnyTensor& tensor : tensors) {
    const StoredTensor* stored = file.find(tensor.info.name);
    RC_ASSERT(stored != nullptr && stored->info == tensor.info);
    RC_ASSERT(file.read(*stored) == tensor.bytes);
    // In memory, too, if the file is read to an address that is aligned for 8 bytes.
    RC_ASSERT((header_in(bytes).data_begin + stored->begin) % size_of(tensor.info.type) == 0);
  }
}

TEST(Safetensors, AreLaidOutByteByByte) {
  const std::vector<float> values{1, -2};
  const std::vector<std::uint8_t> bytes{7};
  const std::vector<TensorView> tensors{{{"b", TensorType::kU8, {}}, std::as_bytes(std::span(bytes))},
                                        view_of("a", values)};
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"U8","shape":[],"data_offsets":[8,9]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\xc0\x07", 9);
  EXPECT_EQ(stream(tensors, {{"k", "v"}}), file_of(padded, 0) + data);
}

TEST(Safetensors, MayHoldNothing) {
  EXPECT_EQ(stream({}), file_of("{}      ", 0));
  EXPECT_TRUE(header_in(file_of("{}", 0)).tensors.empty());
}

TEST(Safetensors, ArePartlyRead) {
  const ScratchFolder scratch;
  const std::vector<float> values{1, 2, 3, 4};
  const std::vector<TensorView> tensors{view_of("a", values)};
  (void)write_safetensors(scratch.path() / "a", tensors);
  const SafetensorsFile file(scratch.path() / "a");
  std::vector<float> two(2);
  file.read(*file.find("a"), 4, std::as_writable_bytes(std::span(two)));
  EXPECT_EQ(two, (std::vector<float>{2, 3}));
  EXPECT_EQ(file.find("b"), nullptr);
  EXPECT_EQ(refusal([&] {
              file.read(*file.find("a"), 12, std::as_writable_bytes(std::span(two)));
              return 0;
            }),
            "'a' has 16 bytes; read no more than these");
}

TEST(Safetensors, MayLieInAnyOrderInTheHeader) {
  const std::string file = file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[3,5]},
      "b":{"data_offsets":[0,3],"shape":[3],"dtype":"I8"}})",
                                   5);
  const SafetensorsHeader header = header_in(file);
  ASSERT_EQ(header.tensors.size(), 2);
  EXPECT_EQ(header.tensors[0].info.name, "b");
  EXPECT_EQ(header.tensors[1].begin, 3);
}

TEST(Safetensors, WithTwoTensorsOfOneNameAreNotWritten) {
  const std::vector<float> values{1};
  EXPECT_EQ(refusal([&] {
              return stream({view_of("a", values), view_of("a", values)});
            }),
            "two tensors have the name 'a'; give each a name of its own");
  EXPECT_THAT(refusal([&] { return stream({view_of("__metadata__", values)}); }), StartsWith("two tensors"));
}

TEST(Safetensors, WithOtherBytesThanTheShapeSaysAreNotWritten) {
  const std::vector<float> values{1, 2};
  EXPECT_EQ(refusal([&] {
              return stream({{{"a", TensorType::kF32, {3}}, std::as_bytes(std::span(values))}});
            }),
            "the tensor 'a' has 8 bytes and is said to be 3 of F32; give as many bytes as its shape has");
}

TEST(Safetensors, WithANameThatIsNotUtf8AreNotWritten) {
  const std::vector<float> values{1};
  EXPECT_THAT(refusal([&] { return stream({view_of("\xff", values)}); }),
              StartsWith("the name '?' is not UTF-8"));
}

struct Lie {
  const char* name;
  const char* header;
  std::size_t data_bytes;
  const char* refusal;
};

class SafetensorsHeaders : public testing::TestWithParam<Lie> {};

TEST_P(SafetensorsHeaders, ThatLieAreRefused) {
  const std::string begin = "a.safetensors: ";
  const std::string said = refusal_of_header(GetParam().header, GetParam().data_bytes);
  EXPECT_THAT(said, StartsWith(begin + GetParam().refusal));
  EXPECT_THAT(said, EndsWith("; get the file again, or give a safetensors file"));
}

INSTANTIATE_TEST_SUITE_P(
    All, SafetensorsHeaders,
    testing::Values(
        Lie{"NoJson", "{\"a\"", 0, "its header is no right JSON: parse error at line 1, column 5"},
        Lie{"List", "[]", 0, "its header does not begin with '{'"},
        Lie{"SpaceFirst", " {}", 0, "its header does not begin with '{'"},
        Lie{"Empty", "", 0, "its header does not begin with '{'"},
        Lie{"BehindTheEnd", "{}{}", 0, "its header is no right JSON"},
        Lie{"NotUtf8", "{\"\xff\":{}}", 0, "its header is no right JSON"},
        Lie{"Deep", R"({"a":[[[[[[[[[[]]]]]]]]]]})", 0, "its header: there are more than 8 levels"},
        Lie{"TensorTwice",
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
            2, "its header: 'a' is there twice"},
        Lie{"ShapeTwice", R"({"a":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", 1,
            "its header: 'shape' is there twice"},
        Lie{"MetadataTwice", R"({"__metadata__":{},"__metadata__":{}})", 0,
            "its header: '__metadata__' is there twice"},
        Lie{"MetadataNoObject", R"({"__metadata__":[]})", 0, "__metadata__ is no object"},
        Lie{"MetadataNoText", R"({"__metadata__":{"a":1}})", 0, "'a' of __metadata__ is no text"},
        Lie{"TensorNoObject", R"({"a":1})", 0, "the tensor 'a' is no object"},
        Lie{"NoType", R"({"a":{"shape":[1],"data_offsets":[0,1]}})", 1, "the tensor 'a' has no dtype"},
        Lie{"NoShape", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, "the tensor 'a' has no shape"},
        Lie{"NoOffsets", R"({"a":{"dtype":"U8","shape":[1]}})", 1, "the tensor 'a' has no data_offsets"},
        Lie{"More", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", 1,
            "the tensor 'a' has more than dtype, shape and data_offsets"},
        Lie{"TypeNoText", R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", 1,
            "the tensor 'a' has a dtype that is no text"},
        Lie{"TypeUnknown", R"({"a":{"dtype":"F4\u0007","shape":[1],"data_offsets":[0,1]}})", 1,
            "the tensor 'a' is of the type 'F4?', which is unknown here"},
        Lie{"ShapeNoList", R"({"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", 1,
            "the tensor 'a' has a shape that is no list"},
        Lie{"ShapeNegative", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1,
            "the tensor 'a' has something in its shape that is no count"},
        Lie{"ShapeFraction", R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1,
            "the tensor 'a' has something in its shape that is no count"},
        Lie{"ShapeTooLarge", R"({"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,1]}})", 1,
            "the tensor 'a' has something in its shape that is no count"},
        Lie{"ProductOverflows",
            R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
            "the tensor 'a' has more bytes than 64 bits can count: 4294967296 × 4294967296"},
        Lie{"BytesOverflow", R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0,
            "the tensor 'a' has more bytes than 64 bits can count"},
        Lie{"OneOffset", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", 1,
            "the tensor 'a' has 1 data_offsets instead of 2"},
        Lie{"ThreeOffsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}})", 1,
            "the tensor 'a' has 3 data_offsets instead of 2"},
        Lie{"Backwards", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1,
            "the tensor 'a' ends before it begins: [1, 0]"},
        Lie{"BeyondTheEnd", R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 1,
            "the tensor 'a' ends at byte 2, and the file has 1 behind its header"},
        Lie{"FarBeyond",
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551614,18446744073709551615]}})",
            1, "the tensor 'a' ends at byte 18446744073709551615, and the file has 1 behind its header"},
        Lie{"OtherLength", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4,
            "the tensor 'a' has 4 bytes and is 2 of F32, which makes 8"},
        Lie{"Overlap",
            R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
            3, "the tensor 'b' overlaps 'a'"},
        Lie{"Gap",
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
            3, "the tensor 'b' begins at byte 2, behind a gap of 1 byte"},
        Lie{"GapBefore", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2,
            "the tensor 'a' begins at byte 1, behind a gap of 1 byte"},
        Lie{"LeftOver", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 3,
            "the file has 3 bytes behind its header, and its tensors 1"}),
    [](const auto& info) { return info.param.name; });

TEST(Safetensors, WhoseHeaderIsTooLongAreRefused) {
  EXPECT_THAT(refusal_of_file(file_of("{}", 0, 3)),
              StartsWith("a.safetensors: a header of 3 bytes is announced, and only 2 follow"));
  EXPECT_THAT(refusal_of_file(file_of("{}", 0, ~std::uint64_t{0})),
              StartsWith("a.safetensors: a header of 18446744073709551615 bytes is announced, more than the "
                         "100000000 that there may be"));
  EXPECT_THAT(refusal_of_file("1234567"),
              StartsWith("a.safetensors: the file has 7 bytes, and a safetensors file begins with 8"));
  EXPECT_THAT(refusal_of_file(""), StartsWith("a.safetensors: the file has 0 bytes"));
}

TEST(Safetensors, CutOffAnywhereAreRefused) {
  const std::vector<float> values{1, 2, 3};
  const std::string whole = stream({view_of("a", values), view_of("b", values)}, {{"k", "v"}});
  ASSERT_EQ(refusal_of_file(whole), "accepted");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal_of_file(whole.substr(0, size)), "accepted") << size;
  }
}

TEST(Safetensors, WithAChangedByteInTheHeaderAreReadOrRefusedWithWords) {
  const std::vector<float> values{1, 2, 3};
  const std::string whole = stream({view_of("a", values)}, {{"k", "v"}});
  for (std::size_t at = 0; at < whole.size() - sizeof(float) * values.size(); ++at) {
    for (const int change : {1, 2, 32, 128, 255}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const std::string said = refusal_of_file(changed);
      EXPECT_TRUE(said == "accepted" || said.starts_with("a.safetensors: ")) << at << ": " << said;
    }
  }
}

TEST(Safetensors, ThatAreNoFileAreRefused) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path().string();
  EXPECT_EQ(refusal([&] { return SafetensorsFile(folder + "/a"); }),
            "cannot read " + folder + "/a: No such file or directory; check that the path is right");
  EXPECT_THAT(refusal([&] { return SafetensorsFile(folder); }), HasSubstr("Is a directory"));
  EXPECT_THAT(refusal([&] { return SafetensorsFile("/dev/null"); }), HasSubstr("it is no regular file"));
}

TEST(Safetensors, ThatBecomeShorterMeanwhileAreRefused) {
  const ScratchFolder scratch;
  const std::vector<float> values{1, 2};
  const std::vector<TensorView> tensors{view_of("a", values)};
  (void)write_safetensors(scratch.path() / "a", tensors);
  const SafetensorsFile file(scratch.path() / "a");
  std::filesystem::resize_file(scratch.path() / "a", 70);
  EXPECT_THAT(refusal([&] { return file.read(*file.find("a")); }), HasSubstr("the file ends after 70 bytes"));
}

// tests/checkpoint/read_safetensors.py is written from the format's description alone.
TEST(Safetensors, AreReadByAnotherReader) {
  if (std::system("python3 -c 1 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const ScratchFolder scratch;
  const std::vector<float> f32{1.5, -2};
  const std::vector<std::uint16_t> f16{0x3e00, 0xc000};   // the same numbers
  const std::vector<std::uint16_t> bf16{0x3fc0, 0xc000};  // likewise
  const std::vector<std::int64_t> i64{-1, 1LL << 40};
  const std::vector<double> f64{0.1};
  const std::vector<std::uint8_t> bytes{0, 1};
  const auto of = [](const auto& numbers) { return std::as_bytes(std::span(numbers)); };
  const std::vector<TensorView> tensors{
      {{"bytes", TensorType::kU8, {2}}, of(bytes)},   {{"é.\"w\"", TensorType::kF32, {1, 2}}, of(f32)},
      {{"half", TensorType::kF16, {2, 1}}, of(f16)},  {{"brain", TensorType::kBF16, {2}}, of(bf16)},
      {{"long", TensorType::kI64, {2}}, of(i64)},     {{"double", TensorType::kF64, {}}, of(f64)},
      {{"truth", TensorType::kBool, {2}}, of(bytes)}, {{"none", TensorType::kI32, {0, 3}}, {}}};
  (void)write_safetensors(scratch.path() / "a", tensors, {{"format", "pt"}});
  const std::string command = "python3 tests/checkpoint/read_safetensors.py " +
                              (scratch.path() / "a").string() + " > " + (scratch.path() / "out").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(content(scratch.path() / "out"),
            "metadata {\"format\": \"pt\"}\n"
            "\"long\" I64 [2] [-1, 1099511627776]\n"
            "\"double\" F64 [] [0.1]\n"
            "\"\\u00e9.\\\"w\\\"\" F32 [1, 2] [1.5, -2.0]\n"
            "\"none\" I32 [0, 3] []\n"
            "\"half\" F16 [2, 1] [1.5, -2.0]\n"
            "\"brain\" BF16 [2] [1.5, -2.0]\n"
            "\"bytes\" U8 [2] [0, 1]\n"
            "\"truth\" BOOL [2] [False, True]\n");
}

TEST(AnotherModel, IsToldByItsFirstTensorThatDiffers) {
  const std::vector<TensorInfo> wanted{{"a", TensorType::kF32, {2, 3}}, {"b", TensorType::kF32, {}}};
  std::vector<StoredTensor> found{{wanted[1], 0, 0}, {wanted[0], 0, 0}};
  EXPECT_EQ(first_difference(wanted, found), "");
  found[1].info.shape = {3, 2};
  EXPECT_EQ(first_difference(wanted, found), "a is F32 2 × 3 here and F32 3 × 2 in the checkpoint");
  found[1].info = {"c", TensorType::kF64, {4}};
  EXPECT_EQ(first_difference(wanted, found), "a is F32 2 × 3 here and not in the checkpoint");
  EXPECT_EQ(first_difference(std::span(wanted).last(1), found), "c is F64 4 in the checkpoint and not here");
}

}  // namespace
}  // namespace trireme::checkpoint
