// SPDX-License-Identifier: LGPL-2.1-or-later
#include "percent.h"

#include <cctype>

namespace vigil::monitor {
namespace {

int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

} // namespace

std::string percent_decoded(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); i++) {
    if (s[i] == '%' && i + 2 < s.size() && hex_digit(s[i + 1]) >= 0 && hex_digit(s[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(s[i + 1]) * 16 + hex_digit(s[i + 2]));
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

std::string percent_encoded(std::string_view s) {
  constexpr const char *digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || c == '.' || c == '~')
      out += c;
    else
      out.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return out;
}

} // namespace vigil::monitor
