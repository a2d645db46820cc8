// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json.h"

#include "common/file.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace vigil::tools {

JsonWriter &JsonWriter::name(std::string_view n) {
  separate();
  quote(n);
  text_ += pretty_ ? ": " : ":";
  after_name_ = true;
  return *this;
}

JsonWriter &JsonWriter::value(double v) {
  if (!std::isfinite(v)) return null();
  char words[32];
  return put({words, std::to_chars(words, words + sizeof words, v).ptr});
}

JsonWriter &JsonWriter::value(std::string_view v) {
  separate();
  quote(v);
  return *this;
}

void JsonWriter::save(const std::string &path) const {
  const std::string whole = text_ + '\n';
  replace_file(path, {reinterpret_cast<const std::uint8_t *>(whole.data()), whole.size()});
}

JsonWriter &JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  has_values_.push_back(false);
  return *this;
}

JsonWriter &JsonWriter::close(char bracket) {
  const bool any = has_values_.back();
  has_values_.pop_back();
  if (any) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter &JsonWriter::put(std::string_view words) {
  separate();
  text_ += words;
  return *this;
}

void JsonWriter::separate() {
  if (after_name_) {
    after_name_ = false;
    return;
  }
  if (has_values_.empty()) return;
  if (has_values_.back()) text_ += ',';
  has_values_.back() = true;
  new_line();
}

void JsonWriter::new_line() {
  if (!pretty_) return;
  text_ += '\n';
  text_.append(2 * has_values_.size(), ' ');
}

void JsonWriter::quote(std::string_view s) {
  text_ += '"';
  for (const char c : s) {
    constexpr unsigned char first_printable = 0x20;
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < first_printable) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      text_ += escape;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

} // namespace vigil::tools
