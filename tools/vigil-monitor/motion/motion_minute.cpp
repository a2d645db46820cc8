// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion_minute.h"

#include "common/bytes.h"

#include <algorithm>
#include <bit>

namespace vigil::monitor {
namespace {

constexpr std::uint8_t format = 1, no_motion = 0x40, same_motion = 0x80, count_bits = 0x3f, one_run = 0x80;
constexpr std::size_t checksum_bytes = 4;

// `length` bits from bit `first` on.
std::uint32_t run(int first, int length) {
  return (length == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << length) - 1) << first;
}

void put_second(const MovingCells &cells, std::vector<std::uint8_t> &out) {
  const std::size_t at = out.size();
  out.push_back(0); // how many rows, filled in below
  std::uint32_t above = 0;
  for (std::size_t y = 0; y < cells.row.size(); y++) {
    const std::uint32_t differs = cells.row[y] ^ above;
    above = cells.row[y];
    if (!differs) continue;
    out[at]++;
    const int first = std::countr_zero(differs);
    const int length = std::countr_one(differs >> first);
    if (differs == run(first, length)) {
      out.push_back(static_cast<std::uint8_t>(y | one_run));
      out.push_back(static_cast<std::uint8_t>(first));
      out.push_back(static_cast<std::uint8_t>(length));
    } else {
      out.push_back(static_cast<std::uint8_t>(y));
      ByteWriter(out).number(differs);
    }
  }
}

// Takes bytes from the front. Each method is false when there are not enough, or when they make no sense.
class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return at_ == bytes_.size(); }
  bool byte(std::uint8_t &to) {
    if (empty()) return false;
    to = bytes_[at_++];
    return true;
  }
  bool word(std::uint32_t &to) {
    if (bytes_.size() - at_ < sizeof to) return false;
    to = ByteReader(bytes_, at_).number<std::uint32_t>();
    at_ += sizeof to;
    return true;
  }
  bool second(int rows, MovingCells &to) {
    MovingCells differs;
    for (int i = 0; i < rows; i++) {
      std::uint8_t head = 0;
      if (!byte(head)) return false;
      const std::size_t y = head & ~one_run;
      if (y >= differs.row.size()) return false;
      if (head & one_run) {
        std::uint8_t first = 0, length = 0;
        if (!byte(first) || !byte(length)) return false;
        if (length == 0 || first + length > MovingCells::columns) return false;
        differs.row[y] = run(first, length);
      } else if (!word(differs.row[y])) {
        return false;
      }
    }
    std::uint32_t above = 0;
    for (std::size_t y = 0; y < to.row.size(); y++) above = to.row[y] = differs.row[y] ^ above;
    return true;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

} // namespace

std::vector<std::uint8_t> encode(const MotionMinute &minute) {
  std::vector<std::uint8_t> out{format};
  for (std::size_t i = 0; i < minute.size();) {
    const bool moves = minute[i].any();
    const bool repeats = moves && i > 0 && minute[i] == minute[i - 1];
    if (moves && !repeats) {
      put_second(minute[i++], out);
      continue;
    }
    std::size_t n = 1;
    while (i + n < minute.size() && (repeats ? minute[i + n] == minute[i] : !minute[i + n].any())) n++;
    out.push_back(static_cast<std::uint8_t>((repeats ? same_motion : no_motion) + n - 1));
    i += n;
  }
  ByteWriter(out).number(checksum(out));
  return out;
}

std::optional<MotionMinute> decode_minute(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 1 + checksum_bytes || bytes[0] != format) return std::nullopt;
  const auto content = bytes.first(bytes.size() - checksum_bytes);
  if (ByteReader(bytes, content.size()).number<std::uint32_t>() != checksum(content)) return std::nullopt;
  MotionMinute out{};
  Decoder in(content.subspan(1));
  for (std::size_t i = 0; i < out.size();) {
    std::uint8_t code = 0;
    if (!in.byte(code)) return std::nullopt;
    if (code >= 1 && code <= MovingCells::rows) {
      if (!in.second(code, out[i++])) return std::nullopt;
      continue;
    }
    const std::size_t n = (code & count_bits) + 1u;
    if (!(code & (no_motion | same_motion)) || n > out.size() - i) return std::nullopt;
    if (code & same_motion) {
      if (i == 0 || code & no_motion) return std::nullopt;
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(i), n, out[i - 1]);
    }
    i += n;
  }
  if (!in.empty()) return std::nullopt;
  return out;
}

} // namespace vigil::monitor
