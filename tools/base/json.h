// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes JSON text. Numbers are the shortest that read back as the same (3.64, where json-glib's writer gives
// 3.6400000000000001), NaN and infinity are null.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::tools {

class JsonWriter {
 public:
  // Lines are broken and indented, or all is one line.
  explicit JsonWriter(bool pretty) : pretty_(pretty) {}

  JsonWriter &begin_object() { return open('{'); }
  JsonWriter &end_object() { return close('}'); }
  JsonWriter &begin_array() { return open('['); }
  JsonWriter &end_array() { return close(']'); }
  JsonWriter &name(std::string_view); // of the next value, in an object

  JsonWriter &value(double);
  JsonWriter &value(std::string_view);
  JsonWriter &value(const char *s) { return value(std::string_view(s)); }
  JsonWriter &value(bool b) { return put(b ? "true" : "false"); }
  template <std::integral T>
  JsonWriter &value(T v) {
    return put(std::to_string(v));
  }
  JsonWriter &null() { return put("null"); }
  template <class T>
  JsonWriter &member(std::string_view n, const T &v) {
    return name(n).value(v);
  }
  const std::string &text() const { return text_; }
  // The text and a line's end as a file. Throws Error::write when it cannot be written.
  void save(const std::string &path) const;

 private:
  JsonWriter &open(char);
  JsonWriter &close(char);
  JsonWriter &put(std::string_view);
  void separate(); // what stands between the last value and the next
  void new_line();
  void quote(std::string_view);

  const bool pretty_;
  std::string text_;
  std::vector<bool> has_values_; // one for each open object or array
  bool after_name_ = false;
};

} // namespace vigil::tools
