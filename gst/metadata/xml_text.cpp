// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/xml_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace vigil::gst {
namespace {

bool is_xml_character(gunichar c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) ||
         (c >= 0x10000 && c <= 0x10ffff);
}

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

} // namespace

std::string xml_text(std::string_view words) {
  std::string out;
  gchar *valid = g_utf8_make_valid(words.data(), static_cast<gssize>(words.size()));
  for (const gchar *at = valid; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\t' || c == '\n' || c == '\r') // which a parser would make spaces of in an attribute
      out.append("&#").append(std::to_string(c)).append(";");
    else if (is_xml_character(c))
      out.append(at, static_cast<std::size_t>(g_utf8_next_char(at) - at));
    else
      out += "\xef\xbf\xbd";
  }
  g_free(valid);
  return out;
}

std::string xml_number(float value) {
  return shortest(value);
}
std::string xml_number(double value) {
  return shortest(value);
}

std::string xml_time(gint64 nanoseconds) {
  constexpr gint64 second = 1'000'000'000, micro = 1000;
  gint64 whole = nanoseconds / second, rest = nanoseconds % second;
  if (rest < 0) {
    whole--;
    rest += second;
  }
  const auto seconds = static_cast<std::time_t>(whole);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64], tail[16];
  std::snprintf(tail, sizeof tail, ".%06dZ", static_cast<int>(rest / micro));
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts)) + tail;
}

} // namespace vigil::gst
