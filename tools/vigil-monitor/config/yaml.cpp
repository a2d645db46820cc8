// SPDX-License-Identifier: LGPL-2.1-or-later
#include "yaml.h"

#include "text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <system_error>

namespace vigil::monitor {

namespace {
// In full: a stream would write 1073741824 as 1.07374e+09.
std::string shown(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}
} // namespace

std::string YamlValue::place() const {
  return vigil::text(file_, ":", node_.Mark().line + 1);
}

void YamlValue::refuse(const std::string &what) const {
  if (keys_) described("text");
  fail(Error::Kind::bad_setting, place(), ": ", path_.empty() ? "" : path_ + ": ", what);
}

std::vector<KeyDescription> YamlValue::describe(const std::function<void(const YamlValue &)> &reader) {
  std::vector<KeyDescription> keys;
  try {
    reader(YamlValue(&keys, ""));
  } catch (const Described &) {
  }
  return keys;
}

std::string YamlValue::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : vigil::text(path_, ".", key);
}

void YamlValue::describe_child(std::string_view key, const Reader &f) const {
  try {
    f(YamlValue(keys_, path_of(key)));
  } catch (const Described &) {
  }
}

void YamlValue::described(std::string values) const {
  if (std::none_of(keys_->begin(), keys_->end(), [&](const auto &k) { return k.path == path_; }))
    keys_->push_back({path_, std::move(values)});
  throw Described();
}

void YamlValue::each(const std::function<void(const std::string &, const YamlValue &)> &f, bool names) const {
  if (keys_) {
    describe_child("NAME", [&](const YamlValue &v) { f("NAME", v); });
    throw Described();
  }
  if (node_.IsNull()) return;
  if (!node_.IsMap()) refuse("expected a mapping (lines of 'key: value')");
  std::set<std::string> seen;
  for (const auto &entry : node_) {
    if (!entry.first.IsScalar()) YamlValue(entry.first, file_, path_).refuse("a key must be a word");
    const std::string key = entry.first.Scalar();
    const YamlValue at_key(entry.first, file_, path_);
    if (!seen.insert(key).second) at_key.refuse("'" + key + "' stands here twice; remove one");
    if (names && !is_name(key))
      at_key.refuse("'" + key.substr(0, 80) + "' is no name; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
    f(key, YamlValue(entry.second, file_, path_of(key)));
  }
}

void YamlValue::members(std::initializer_list<std::pair<std::string_view, Reader>> known) const {
  if (keys_) {
    for (const auto &[key, reader] : known) describe_child(key, reader);
    if (path_.empty()) return; // the file's own level: what is read after its keys follows
    throw Described();
  }
  each(
      [&](const std::string &key, const YamlValue &v) {
        const auto k =
            std::find_if(known.begin(), known.end(), [&](const auto &e) { return e.first == key; });
        if (k == known.end()) {
          std::string allowed;
          for (const auto &e : known) allowed += (allowed.empty() ? "" : ", ") + std::string(e.first);
          v.refuse("there is no such key; allowed here: " + allowed);
        }
        k->second(v);
      },
      false);
}

void YamlValue::read(const Reader &f) const {
  try {
    f(*this);
  } catch (const Described &) {
  }
}

void YamlValue::items(const Reader &f) const {
  if (keys_) {
    const std::size_t before = keys_->size();
    describe_child("ITEM", f);
    const bool plain = keys_->size() == before + 1 && keys_->back().path == path_of("ITEM");
    if (!plain) throw Described();
    keys_->pop_back();
    described("list");
  }
  if (!node_.IsSequence()) refuse("expected a list ([a, b])");
  for (const auto &item : node_) f(YamlValue(item, file_, path_));
}

std::string YamlValue::text() const {
  if (keys_) described("text");
  if (!node_.IsScalar()) refuse("expected one value");
  return here([&] { return expand_environment(node_.Scalar()); });
}

bool YamlValue::flag() const {
  if (keys_) described("true, false");
  bool v = false;
  if (!node_.IsScalar() || !YAML::convert<bool>::decode(node_, v))
    refuse("'" + (node_.IsScalar() ? node_.Scalar() : "...") + "' is neither true nor false");
  return v;
}

double YamlValue::number(double least, double most) const {
  if (keys_) described(shown(least) + ".." + shown(most));
  const std::string s = text();
  double v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc() || end != s.data() + s.size() || !std::isfinite(v) || v < least || v > most)
    refuse(vigil::text("'", s.substr(0, 80), "' is no number from ", shown(least), " to ", shown(most)));
  return v;
}

int YamlValue::integer(int least, int most) const {
  const double v = number(least, most);
  if (v != std::floor(v)) refuse(vigil::text(v, " is no whole number"));
  return static_cast<int>(v);
}

} // namespace vigil::monitor
