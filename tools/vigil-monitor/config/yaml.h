// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads YAML so that each mistake is reported with file, line, what was found and what is allowed.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace vigil::monitor {

// A key that a reader takes: cameras.NAME.record.max_clip, "1..3600".
struct KeyDescription {
  std::string path, values; // what the reader takes: a range, "true, false", "text" or "list"
};

class YamlValue {
 public:
  YamlValue(YAML::Node node, std::string file, std::string path)
      : node_(std::move(node)), file_(std::move(file)), path_(std::move(path)) {}
  // Runs a reader of a whole file without a file, and lists the keys that it takes.
  static std::vector<KeyDescription> describe(const std::function<void(const YamlValue &)> &reader);

  // Calls the function of each key that is there. A key without one, or twice, is an error that lists those
  // that are allowed.
  using Reader = std::function<void(const YamlValue &)>;
  void members(std::initializer_list<std::pair<std::string_view, Reader>>) const;
  // All keys, which must be names unless `names` is false.
  void each(const std::function<void(const std::string &key, const YamlValue &)> &, bool names = true) const;
  void items(const Reader &) const; // of a sequence
  void read(const Reader &) const;  // for a part that is read after others

  std::string text() const; // variables of the environment in place
  bool flag() const;
  double number(double least, double most) const;
  int integer(int least, int most) const;
  bool is_scalar() const { return node_.IsScalar(); }
  bool is_null() const { return node_.IsNull(); }

  std::string place() const; // FILE:LINE
  // "FILE:LINE: path: what"
  [[noreturn]] void refuse(const std::string &what) const;
  // Calls f; an Error of it is refused at this place.
  template <class F>
  auto here(F f) const;

 private:
  // While keys are listed, each reader ends at the first value that it asks for.
  struct Described {};
  YamlValue(std::vector<KeyDescription> *keys, std::string path) : path_(std::move(path)), keys_(keys) {}
  std::string path_of(std::string_view key) const;
  void describe_child(std::string_view key, const Reader &) const;
  [[noreturn]] void described(std::string values) const;

  YAML::Node node_;
  std::string file_, path_;
  std::vector<KeyDescription> *keys_ = nullptr; // while keys are listed
};

} // namespace vigil::monitor

#include "common/error.h"

template <class F>
auto vigil::monitor::YamlValue::here(F f) const {
  try {
    return f();
  } catch (const Error &e) {
    refuse(e.what());
  }
}
