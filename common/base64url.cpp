// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/base64url.h"

#include "common/error.h"

namespace vigil {
namespace {

constexpr std::string_view digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

} // namespace

std::string base64url(std::string_view bytes) {
  std::string out;
  unsigned held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += digits64[held >> (bits - 6) & 63];
    held &= 63;
  }
  if (bits) out += digits64[held << (6 - bits) & 63];
  return out;
}

std::string from_base64url(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits64.find(c);
    if (digit == digits64.npos)
      fail(Error::Kind::bad_data, "this is no base64url: '", text.substr(0, 20), "'");
    held = (held << 6 | static_cast<unsigned>(digit)) & 0xffffu;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(held >> bits & 255);
    }
  }
  if (bits >= 6 || (held & ((1u << bits) - 1)))
    fail(Error::Kind::bad_data, "this base64url is cut off: '", text.substr(0, 20), "'");
  return out;
}

} // namespace vigil
