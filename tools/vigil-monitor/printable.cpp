// SPDX-License-Identifier: LGPL-2.1-or-later
#include "printable.h"

#include <cstdint>
#include <cstdio>

namespace vigil::monitor {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0; // 0: no UTF-8
};

Character first_of(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned head = byte(0);
  if (head < 0x80) return {head, 1};
  const std::size_t bytes = head >= 0xc2 && head < 0xe0   ? 2
                            : (head & 0xf0) == 0xe0       ? 3
                            : head >= 0xf0 && head < 0xf5 ? 4
                                                          : 0;
  if (!bytes || s.size() < bytes) return {};
  std::uint32_t code = head & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; i++) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest[bytes] || surrogate || code > 0x10ffff ? Character{} : Character{code, bytes};
}

bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}
// Marks and embeddings of direction, ends of lines and paragraphs: they move other characters about.
bool turns(std::uint32_t c) {
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Spaces, and characters without a width.
bool is_blank(std::uint32_t c) {
  return c == 0x20 || c == 0xa0 || c == 0xad || c == 0x34f || c == 0x115f || c == 0x1160 || c == 0x1680 ||
         c == 0x17b4 || c == 0x17b5 || (c >= 0x180b && c <= 0x180f) || (c >= 0x2000 && c <= 0x200f) ||
         c == 0x202f || (c >= 0x205f && c <= 0x206f) || c == 0x2800 || c == 0x3000 || c == 0x3164 ||
         (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || c == 0xffa0 || (c >= 0xe0000 && c <= 0xe0fff);
}

} // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t shown = 0;
  while (!text.empty()) {
    if (shown++ == most) return out + "...";
    const Character c = first_of(text);
    const std::size_t bytes = c.bytes ? c.bytes : 1;
    char escaped[8];
    if (!c.bytes || (is_control(c.code) && c.code != '\t' && c.code != '\n' && c.code != '\r')) {
      std::snprintf(escaped, sizeof escaped, "\\x%02x",
                    c.bytes ? c.code : static_cast<unsigned char>(text[0]));
      out += escaped;
    } else if (turns(c.code)) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c.code & 0xffff);
      out += escaped;
    } else if (c.code < 0x20) {
      out += ' ';
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

bool is_visible(std::string_view text, std::size_t most) {
  bool seen = false;
  for (std::size_t n = 0; !text.empty(); n++) {
    const Character c = first_of(text);
    if (n == most || !c.bytes || is_control(c.code) || turns(c.code)) return false;
    seen = seen || !is_blank(c.code);
    text.remove_prefix(c.bytes);
  }
  return seen;
}

} // namespace vigil::monitor
