// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers in files: little-endian, whatever the machine.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>
#include <zlib.h>

namespace vigil {

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::uint8_t> &out) : out_(out) {}
  template <class T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); i++) out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void real(float value) { number(std::bit_cast<std::uint32_t>(value)); }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }

 private:
  std::vector<std::uint8_t> &out_;
};

// Reads only what its caller has checked to be there.
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  template <class T>
  T number() {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); i++) value |= static_cast<T>(T{bytes_[at_ + i]} << (8 * i));
    at_ += sizeof(T);
    return value;
  }
  float real() { return std::bit_cast<float>(number<std::uint32_t>()); }
  double real64() { return std::bit_cast<double>(number<std::uint64_t>()); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_;
};

inline std::uint32_t checksum(std::span<const std::uint8_t> bytes) { // CRC-32, zlib's
  return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

} // namespace vigil
