#include "data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kBeforeLength = 8;          // magic and version
constexpr std::size_t kMostHeaderBytes = 65'536;  // that of an array of numbers has 118
constexpr std::size_t kMostNpyDimensions = 4;
constexpr const char* kSaveAgain = "save it again with numpy.save";

struct TypeName {
  std::string_view name;  // without the order of bytes
  NumberType type;
};
constexpr std::array kTypes = {TypeName{"u1", NumberType::kUint8},   TypeName{"i1", NumberType::kInt8},
                               TypeName{"u2", NumberType::kUint16},  TypeName{"i2", NumberType::kInt16},
                               TypeName{"u4", NumberType::kUint32},  TypeName{"i4", NumberType::kInt32},
                               TypeName{"u8", NumberType::kUint64},  TypeName{"i8", NumberType::kInt64},
                               TypeName{"f4", NumberType::kFloat32}, TypeName{"f8", NumberType::kFloat64}};

// The dictionary of a header, such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyHeader read() {
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        read_type();
      } else if (key == "fortran_order") {
        read_order();
      } else if (key == "shape") {
        read_shape();
      } else {
        refuse(fmt::format("its header has the unknown key '{}'", printable(key)), kSaveAgain);
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (!trimmed_rest().empty()) refuse_syntax();
    require(has_type_, "descr");
    require(has_order_, "fortran_order");
    require(has_shape_, "shape");
    return header_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const {
    throw bad_input(fmt::format("{}: {}", name_, what), hint);
  }
  [[noreturn]] void refuse_syntax() const {
    refuse(fmt::format("its header is not understood at '{}'", printable(rest_.substr(0, 40))), kSaveAgain);
  }
  void require(bool found, std::string_view key) const {
    if (!found) refuse(fmt::format("its header lacks '{}'", key), kSaveAgain);
  }

  std::string_view trimmed_rest() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
    return rest_;
  }
  bool take(char sign) {
    if (trimmed_rest().empty() || rest_[0] != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char sign) {
    if (!take(sign)) refuse_syntax();
  }
  bool take_word(std::string_view word) {
    if (!trimmed_rest().starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string string() {
    const bool is_double = take('"');
    if (!is_double) expect('\'');
    const std::size_t end = rest_.find(is_double ? '"' : '\'');
    if (end == std::string_view::npos) refuse_syntax();
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void read_type() {
    constexpr const char* kConvert =
        "convert it: numpy.save(path, array.astype('float32')), or another number type";
    if (trimmed_rest().starts_with('[')) {
      refuse("its elements are records of several fields, and must be numbers",
             "save the fields that are features as one array of numbers");
    }
    const std::string text = string();
    const std::string shown = printable(text.substr(0, 40));
    if (text.size() < 2) refuse(fmt::format("its elements are of the unknown type '{}'", shown), kConvert);
    const auto found = std::ranges::find(kTypes, std::string_view(text).substr(1), &TypeName::name);
    const std::string_view orders = found != kTypes.end() && size_of(found->type) == 1 ? "|<>=" : "<>=";
    if (found == kTypes.end() || orders.find(text[0]) == std::string_view::npos) {
      const char kind = text[1];
      const std::string_view words = kind == 'c'                  ? " (complex numbers)"
                                     : kind == 'b'                ? " (true and false)"
                                     : kind == 'O'                ? " (Python objects)"
                                     : kind == 'U' || kind == 'S' ? " (text)"
                                     : kind == 'f'                ? " (floats of another size)"
                                     : kind == 'M' || kind == 'm' ? " (times)"
                                     : kind == 'V'                ? " (raw bytes)"
                                                                  : "";
      refuse(fmt::format("its elements are of type '{}'{}; float32, float64 and whole numbers can be read",
                         shown, words),
             kConvert);
    }
    header_.type = found->type;
    header_.order = text[0] == '>' ? std::endian::big : std::endian::little;
    if (text[0] == '=') header_.order = std::endian::native;
    has_type_ = true;
  }

  void read_order() {
    if (take_word("True")) {
      refuse("its elements are in Fortran order, column by column",
             "save it in C order: numpy.save(path, numpy.ascontiguousarray(array))");
    }
    if (!take_word("False")) refuse_syntax();
    has_order_ = true;
  }

  void read_shape() {
    header_.dimensions.clear();
    expect('(');
    while (!take(')')) {
      std::int64_t dimension = 0;
      trimmed_rest();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dimension);
      if (error != std::errc{} || dimension < 0) refuse_syntax();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      header_.dimensions.push_back(dimension);
      if (header_.dimensions.size() > kMostNpyDimensions) {
        refuse(fmt::format("the array has more than {} dimensions", kMostNpyDimensions),
               "reshape it: samples have 1 to 3 dimensions");
      }
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    has_shape_ = true;
  }

  std::string_view rest_;
  const std::string& name_;
  NpyHeader header_;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

class NpyReader {
 public:
  NpyReader(std::span<const std::uint8_t> file, const std::string& name) : file_(file), name_(name) {}

  NpyHeader read() {
    const std::size_t before = bytes_before_dictionary();
    const std::size_t length = header_length(before);
    if (length > kMostHeaderBytes) {
      refuse(fmt::format("its header has {}, which is more than an array of numbers needs",
                         counted(static_cast<std::int64_t>(length), "byte")));
    }
    if (file_.size() < before + length) refuse_end();
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + before, length);
    NpyHeader header = NpyDictionary(text, name_).read();
    header.bytes = before + length;
    require_length(header);
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint = kSaveAgain) const {
    throw bad_input(fmt::format("{}: {}", name_, what), hint);
  }
  [[noreturn]] void refuse_end() const {
    refuse(fmt::format("the file ends after {}, within its header", counted(std::ssize(file_), "byte")));
  }

  [[nodiscard]] std::size_t bytes_before_dictionary() const {
    const std::string_view begin(reinterpret_cast<const char*>(file_.data()),
                                 std::min(file_.size(), kMagic.size()));
    if (begin != kMagic) {
      refuse(begin.starts_with("PK")
                 ? "this is a zip archive, such as numpy.savez writes, and not an npy file"
                 : "the file does not begin like an npy file",
             "write it with numpy.save, one array in each file");
    }
    if (file_.size() < kBeforeLength) refuse_end();
    const int version = file_[kMagic.size()];
    if (version < 1 || version > 3)
      refuse(fmt::format("its format has version {}, 1 to 3 can be read", version));
    return kBeforeLength + (version == 1 ? 2 : 4);
  }

  [[nodiscard]] std::size_t header_length(std::size_t before) const {
    if (file_.size() < before) refuse_end();
    std::size_t length = 0;
    for (std::size_t i = before; i-- > kBeforeLength;) length = length << 8 | file_[i];
    return length;
  }

  void require_length(const NpyHeader& header) const {
    if (header.dimensions.empty()) refuse("it holds a single number, and not an array", "save an array");
    const std::string announced =
        fmt::format("the header announces {} elements", dimensions_in_words(header.dimensions));
    std::int64_t product = 1;
    for (const std::int64_t dimension : header.dimensions) {
      if (dimension == 0) refuse(announced + ", which are none", "give a file that holds something");
    }
    for (const std::int64_t dimension : header.dimensions) {
      if (product > kMostElements / dimension) {
        refuse(fmt::format("{}, more than the {} that can be read", announced, with_commas(kMostElements)),
               "cut it into smaller ones");
      }
      product *= dimension;
    }
    const std::int64_t whole =
        static_cast<std::int64_t>(header.bytes) + product * static_cast<std::int64_t>(size_of(header.type));
    if (std::ssize(file_) == whole) return;
    refuse(fmt::format("the file {} {}, {}, which makes {}",
                       std::ssize(file_) < whole ? "ends after" : "holds", counted(std::ssize(file_), "byte"),
                       announced, counted(whole, "byte")));
  }

  std::span<const std::uint8_t> file_;
  const std::string& name_;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::uint8_t> file, const std::string& name) {
  return NpyReader(file, name).read();
}

NumberArray read_npy(const std::string& path) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const NpyHeader header = read_npy_header(file->bytes(), path);
  const auto count = static_cast<std::int64_t>((file->bytes().size() - header.bytes) / size_of(header.type));
  return {header.dimensions, Numbers(header.type, header.order, std::move(file), header.bytes, count)};
}

}  // namespace trireme::data
