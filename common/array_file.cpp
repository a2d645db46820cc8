// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/array_file.h"

#include "common/bytes.h"
#include "common/error.h"

#include <algorithm>
#include <cassert>

namespace vigil {
namespace {

constexpr std::size_t magic_bytes = 8, crc_at = 12, crc_from = 16, header_bytes = 24, longest_name = 64;
constexpr std::uint32_t most_dimensions = 4;
constexpr std::string_view f4 = "<f4", f8 = "<f8", i4 = "<i4", u1 = "|u1";

std::size_t bytes_of(std::string_view type) { // of one value; 0: no such type
  if (type == f4 || type == i4) return 4;
  return type == f8 ? 8 : type == u1 ? 1 : 0;
}

bool good_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string words(const Shape &shape) {
  std::string s;
  for (const std::size_t n : shape)
    s += (s.empty() ? "" : " x ") + (n == ArrayReader::any ? std::string("any number") : std::to_string(n));
  return s.empty() ? "a single value" : s;
}

bool fits(const Shape &shape, const Shape &wanted) {
  return std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                    [](std::size_t a, std::size_t b) { return b == ArrayReader::any || a == b; });
}

} // namespace

ArrayWriter::ArrayWriter(const ArrayFormat &f) : bytes_(f.magic.begin(), f.magic.end()) {
  assert(f.magic.size() == magic_bytes);
  ByteWriter w(bytes_);
  w.number(f.version);
  for (int i = 0; i < 3; i++) w.number(std::uint32_t{0}); // checksum and count are filled in at the end
}

void ArrayWriter::head(std::string_view name, std::string_view type, const Shape &shape, std::size_t values) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  if (name.empty() || name.size() > longest_name || !good_name(name) || shape.size() > most_dimensions ||
      count != values)
    fail(Error::Kind::bad_data, "array '", name, "' of ", values, " values cannot be written as ",
         words(shape));
  ByteWriter w(bytes_);
  w.number(static_cast<std::uint32_t>(name.size()));
  for (std::size_t i = 0; i < 4; i++) w.number(static_cast<std::uint8_t>(i < type.size() ? type[i] : 0));
  w.number(static_cast<std::uint32_t>(shape.size()));
  for (const std::size_t n : shape) {
    if (n > UINT32_MAX)
      fail(Error::Kind::bad_data, "array '", name, "' is too large for a file: ", words(shape));
    w.number(static_cast<std::uint32_t>(n));
  }
  bytes_.insert(bytes_.end(), name.begin(), name.end());
  count_++;
}

void ArrayWriter::add(std::string_view name, const Shape &shape, std::span<const float> values) {
  head(name, f4, shape, values.size());
  for (const float v : values) ByteWriter(bytes_).real(v);
}
void ArrayWriter::add(std::string_view name, const Shape &shape, std::span<const double> values) {
  head(name, f8, shape, values.size());
  for (const double v : values) ByteWriter(bytes_).real(v);
}
void ArrayWriter::add(std::string_view name, const Shape &shape, std::span<const std::int32_t> values) {
  head(name, i4, shape, values.size());
  for (const std::int32_t v : values) ByteWriter(bytes_).number(static_cast<std::uint32_t>(v));
}
void ArrayWriter::add(std::string_view name, std::string_view text) {
  head(name, u1, {text.size()}, text.size());
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

std::vector<std::uint8_t> ArrayWriter::finish() {
  const auto put = [&](std::size_t at, std::uint32_t v) {
    for (std::size_t i = 0; i < 4; i++) bytes_[at + i] = static_cast<std::uint8_t>(v >> (8 * i));
  };
  put(crc_from, count_);
  put(crc_at, checksum(std::span(bytes_).subspan(crc_from)));
  return std::move(bytes_);
}

ArrayReader::ArrayReader(const ArrayFormat &format, std::span<const std::uint8_t> bytes)
    : what_(format.what) {
  using enum Error::Kind;
  if (bytes.size() < magic_bytes || !std::equal(format.magic.begin(), format.magic.end(), bytes.begin()))
    fail(bad_data, what_, " is none: it does not begin with ", format.magic);
  const auto cut_off = [&] {
    fail(bad_data, what_, " is cut off or damaged: it ends after ", bytes.size(), " bytes");
  };
  if (bytes.size() < header_bytes) cut_off();
  ByteReader in(bytes, magic_bytes);
  if (const auto v = in.number<std::uint32_t>(); v != format.version)
    fail(bad_data, what_, " is of version ", v, ", ", v < format.version ? "older" : "newer",
         " than this program's, ", format.version, "; make it again with the program's own tools");
  const auto crc = in.number<std::uint32_t>(), count = in.number<std::uint32_t>();
  if (crc != checksum(bytes.subspan(crc_from)))
    fail(bad_data, what_, " is cut off or damaged: its checksum is wrong");
  std::size_t at = header_bytes;
  const auto need = [&](std::size_t n) {
    if (bytes.size() - at < n) cut_off();
  };
  for (std::uint32_t i = 0; i < count; i++) {
    need(12);
    ByteReader head(bytes, at);
    const auto name_bytes = head.number<std::uint32_t>();
    std::string type;
    for (int c = 0; c < 4; c++)
      if (const auto byte = head.number<std::uint8_t>()) type += static_cast<char>(byte);
    const auto dimensions = head.number<std::uint32_t>();
    at += 12;
    const std::size_t each = bytes_of(type);
    if (name_bytes < 1 || name_bytes > longest_name || !each || dimensions > most_dimensions)
      fail(bad_data, what_, " is damaged: array number ", i, " has an impossible head");
    need(4 * std::size_t{dimensions} + name_bytes);
    Array array{type, {}, {}};
    std::size_t size = each;
    for (std::uint32_t d = 0; d < dimensions; d++) {
      array.shape.push_back(head.number<std::uint32_t>());
      // the running product is at most the bytes that are there, and so cannot overflow with a factor below
      // 2^32
      size *= array.shape.back();
      if (size > bytes.size()) cut_off();
    }
    at += 4 * std::size_t{dimensions};
    const std::string name(bytes.begin() + at, bytes.begin() + at + name_bytes);
    if (!good_name(name)) fail(bad_data, what_, " is damaged: array number ", i, " has an impossible name");
    at += name_bytes;
    need(size);
    array.values = bytes.subspan(at, size);
    at += size;
    if (!arrays_.emplace(name, std::move(array)).second)
      fail(bad_data, what_, " is damaged: it has two arrays '", name, "'");
  }
  if (at != bytes.size()) fail(bad_data, what_, " is damaged: ", bytes.size() - at, " bytes follow its end");
}

const ArrayReader::Array &ArrayReader::find(std::string_view name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(Error::Kind::bad_data, what_, " lacks the array '", name, "'");
  return found->second;
}

std::span<const std::uint8_t> ArrayReader::values(std::string_view name, std::string_view type,
                                                  const Shape &wanted) const {
  const Array &a = find(name);
  if (a.type != type || !fits(a.shape, wanted))
    fail(Error::Kind::bad_data, what_, "'s array '", name, "' is of type ", a.type, " and ", words(a.shape),
         "; it must be ", type, " and ", words(wanted));
  return a.values;
}

std::vector<float> ArrayReader::floats(std::string_view name, const Shape &shape) const {
  const auto bytes = values(name, f4, shape);
  std::vector<float> out(bytes.size() / 4);
  ByteReader in(bytes, 0);
  for (float &v : out) v = in.real();
  return out;
}
std::vector<double> ArrayReader::doubles(std::string_view name, const Shape &shape) const {
  const auto bytes = values(name, f8, shape);
  std::vector<double> out(bytes.size() / 8);
  ByteReader in(bytes, 0);
  for (double &v : out) v = in.real64();
  return out;
}
std::vector<std::int32_t> ArrayReader::integers(std::string_view name, const Shape &shape) const {
  const auto bytes = values(name, i4, shape);
  std::vector<std::int32_t> out(bytes.size() / 4);
  ByteReader in(bytes, 0);
  for (std::int32_t &v : out) v = static_cast<std::int32_t>(in.number<std::uint32_t>());
  return out;
}
std::string ArrayReader::text(std::string_view name) const {
  const auto bytes = values(name, u1, {any});
  return {bytes.begin(), bytes.end()};
}

} // namespace vigil
