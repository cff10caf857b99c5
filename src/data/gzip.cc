#include "data/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::data {
namespace {

constexpr const char* kGetAgainOrCheck = "get the file again; gzip --test FILE checks it";

class Gunzip {
 public:
  Gunzip(ByteSource compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::size_t read(std::span<std::uint8_t> buffer) {
    std::size_t count = 0;
    while (count < buffer.size() && has_member()) count += inflate_into(buffer.subspan(count));
    return count;
  }

 private:
  // Returns false at the end of the input. If a gzip file has ended and another follows, starts to read that.
  bool has_member() {
    if (stream_.avail_in == 0) refill();
    if (inside_) return true;
    if (stream_.avail_in == 0 && members_ > 0) return false;
    begin_member();
    return true;
  }

  void begin_member() {
    if (stream_.avail_in == 0) throw bad_input(name_ + " is empty, not a gzip file", kGetAgainOrCheck);
    if (members_ > 0) inflateReset(&stream_);
    ++members_;
    inside_ = true;
    inflateGetHeader(&stream_, &header_);
  }

  std::size_t inflate_into(std::span<std::uint8_t> buffer) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in unsigned
    const std::size_t room = std::min(buffer.size(), kMost);
    stream_.next_out = buffer.data();
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      inside_ = false;
    } else if (result == Z_BUF_ERROR) {  // it needs more input, and there is none
      refuse_end();
    } else if (result != Z_OK) {
      refuse(result);
    }
    return room - stream_.avail_out;
  }

  void refill() {
    if (at_end_) return;
    const std::size_t count = compressed_(block_);
    at_end_ = count < block_.size();
    read_ += static_cast<std::int64_t>(count);
    stream_.next_in = block_.data();
    stream_.avail_in = static_cast<uInt>(count);
  }

  [[noreturn]] void refuse_end() const {
    throw bad_input(
        fmt::format("{} ends in the middle of its gzip data, after {}", name_, counted(read_, "byte")),
        kGetAgainOrCheck);
  }

  [[noreturn]] void refuse(int result) const {
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    const std::string why = stream_.msg != nullptr ? stream_.msg : "no known method";
    const bool begins = header_.done != 1;
    if (begins && members_ == 1) {
      throw bad_input(fmt::format("{} is not a gzip file ({})", name_, why),
                      "take .gz from its name if it is not compressed, else get it again");
    }
    if (begins) {
      throw bad_input(fmt::format("{} goes on behind its gzip data with something else ({})", name_, why),
                      kGetAgainOrCheck);
    }
    throw bad_input(fmt::format("{} is damaged: {} before byte {} of the compressed data", name_, why,
                                with_commas(read_ - stream_.avail_in)),
                    kGetAgainOrCheck);
  }

  ByteSource compressed_;
  std::string name_;
  z_stream stream_{};
  std::array<std::uint8_t, std::size_t{1} << 16> block_{};
  std::int64_t read_ = 0;  // bytes taken from `compressed_`
  bool at_end_ = false;    // no more bytes in `compressed_`
  int members_ = 0;        // gzip files started
  bool inside_ = false;    // inside one of them
  gz_header header_{};     // its header; `done` when that was right
};

}  // namespace

ByteSource gunzipped(ByteSource compressed, std::string name) {
  // Shared because a std::function can be copied; all copies read on from the same position.
  const auto gunzip = std::make_shared<Gunzip>(std::move(compressed), std::move(name));
  return [gunzip](std::span<std::uint8_t> buffer) { return gunzip->read(buffer); };
}

bool is_gzip_name(const std::string& name) { return name.ends_with(".gz"); }

}  // namespace trireme::data
