// SPDX-License-Identifier: LGPL-2.1-or-later
// Named arrays in one file, checksummed and easy to read elsewhere. All numbers little-endian:
//
//   offset  bytes
//        0      8  a magic word that says what the file is
//        8      4  version of what it holds
//       12      4  CRC-32 (zlib's) of everything from offset 16 to the end
//       16      4  number of arrays
//       20      4  reserved, 0
//       24         the arrays, one after another without gaps:
//               4  length n of the name, 1..64
//               4  type as numpy writes it, filled with zeros: "<f4", "<f8", "<i4", "|u1" (bytes, or text in
//                  UTF-8)
//               4  number of dimensions r, 0..4; none: a single value
//             4*r  sizes of the dimensions, slowest first
//               n  the name: a..z, 0..9, _
//                  the values, row by row
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil {

struct ArrayFormat {
  std::string_view magic; // 8 characters
  std::uint32_t version;
  const char *what; // for errors: "the model"
};

using Shape = std::vector<std::size_t>;

class ArrayWriter {
 public:
  explicit ArrayWriter(const ArrayFormat &);
  // The name must be new, and the number of values that of the shape.
  void add(std::string_view name, const Shape &, std::span<const float>);
  void add(std::string_view name, const Shape &, std::span<const double>);
  void add(std::string_view name, const Shape &, std::span<const std::int32_t>);
  void add(std::string_view name, double value) { add(name, {}, std::span(&value, 1)); }
  void add(std::string_view name, std::int32_t value) { add(name, {}, std::span(&value, 1)); }
  void add(std::string_view name, std::string_view text);
  std::vector<std::uint8_t> finish();

 private:
  void head(std::string_view name, std::string_view type, const Shape &, std::size_t values);
  std::vector<std::uint8_t> bytes_;
  std::uint32_t count_ = 0;
};

// Views of the arrays in `bytes`, which must outlive it. Any bytes at all are safe: the constructor throws
// Error::bad_data, saying what is wrong, unless they are one whole undamaged file of this kind and version.
// What the file claims is checked against the bytes that are there before anything is done with it, so
// nothing large is allocated in vain. Arrays that nobody asks for are no error.
class ArrayReader {
 public:
  ArrayReader(const ArrayFormat &, std::span<const std::uint8_t> bytes);

  bool has(std::string_view name) const { return arrays_.contains(name); }
  Shape shape(std::string_view name) const { return find(name).shape; }
  // The values of an array of this type and shape. Throws Error::bad_data, naming the array, what it is and
  // what was wanted. A dimension given as `any` may be of any size.
  static constexpr std::size_t any = ~std::size_t{0};
  std::vector<float> floats(std::string_view name, const Shape &) const;
  std::vector<double> doubles(std::string_view name, const Shape &) const;
  std::vector<std::int32_t> integers(std::string_view name, const Shape &) const;
  double real(std::string_view name) const { return doubles(name, {}).front(); }
  std::int32_t integer(std::string_view name) const { return integers(name, {}).front(); }
  std::string text(std::string_view name) const;

 private:
  struct Array {
    std::string type;
    Shape shape;
    std::span<const std::uint8_t> values;
  };
  const Array &find(std::string_view name) const;
  std::span<const std::uint8_t> values(std::string_view name, std::string_view type, const Shape &) const;
  std::string what_;
  std::map<std::string, Array, std::less<>> arrays_;
};

} // namespace vigil
