// SPDX-License-Identifier: LGPL-2.1-or-later
// GObject properties from parameter tables (common/params.h): names, ranges, defaults and texts come from
// where the algorithm declares them. The class says nothing about locks; an element holds its own around
// set() and get(), and takes one copy of its settings for each frame.
#pragma once

#include "common/params.h"

#include <functional>
#include <gst/gst.h>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::gst {

// Registers an enumeration for properties; `values` ends with zeros and stays.
inline GType enum_type(const char *name, const GEnumValue *values) {
  const GType type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

// When a property may change, as gst-inspect tells it.
enum class Change {
  live,    // at any time, also by a controller
  playing, // at any time
  ready,   // takes effect when the element next goes from NULL to READY
};

// The properties of an element whose settings are a struct S, each with a function that writes a GValue into
// it and one that reads it. Ids count from 1 in the order of the calls.
template <class S>
class Properties {
 public:
  // A table of parameters of one part of the settings.
  template <class Part, class Table>
  void table(Part S::*part, const Table &table, Change change) {
    for_each_param(table, [&](int, const auto &p) {
      const auto field = p.field;
      add(
          spec_of(p, S{}.*part.*field, flags(change)),
          [=](S &s, const GValue *v) { read(v, s.*part.*field); },
          [=](const S &s, GValue *v) { write(v, s.*part.*field); });
    });
  }
  template <class E>
  void choice(const char *name, const char *nick, const char *blurb, GType type, E S::*field, Change change) {
    add(
        g_param_spec_enum(name, nick, blurb, type, static_cast<int>(S{}.*field), flags(change)),
        [=](S &s, const GValue *v) { s.*field = static_cast<E>(g_value_get_enum(v)); },
        [=](const S &s, GValue *v) { g_value_set_enum(v, static_cast<int>(s.*field)); });
  }
  // The same for a member of one part of the settings.
  template <class Part, class E>
  void choice(const char *name, const char *nick, const char *blurb, GType type, Part S::*part,
              E Part::*field, Change change) {
    add(
        g_param_spec_enum(name, nick, blurb, type, static_cast<int>(S{}.*part.*field), flags(change)),
        [=](S &s, const GValue *v) { s.*part.*field = static_cast<E>(g_value_get_enum(v)); },
        [=](const S &s, GValue *v) { g_value_set_enum(v, static_cast<int>(s.*part.*field)); });
  }
  // An empty string stands for none; readers get it as null.
  void string(const char *name, const char *nick, const char *blurb, std::string S::*field, Change change) {
    add(
        g_param_spec_string(name, nick, blurb, nullptr, flags(change)),
        [=](S &s, const GValue *v) {
          const char *text = g_value_get_string(v);
          s.*field = text ? text : "";
        },
        [=](const S &s, GValue *v) {
          g_value_set_string(v, (s.*field).empty() ? nullptr : (s.*field).c_str());
        });
  }

  void install(GObjectClass *klass) const {
    for (guint i = 0; i < entries_.size(); i++)
      g_object_class_install_property(klass, i + 1, entries_[i].spec);
  }
  // The same, and a read-only property `stats` after them, whose value is not among the settings.
  void install_with_stats(GObjectClass *klass, const char *fields) const {
    install(klass);
    g_object_class_install_property(
        klass, stats_id(),
        g_param_spec_boxed("stats", "Statistics", fields, GST_TYPE_STRUCTURE,
                           static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  }
  guint stats_id() const { return count() + 1; }
  // 0 where there is no such property.
  guint id_of(std::string_view name) const {
    for (guint i = 0; i < entries_.size(); i++)
      if (name == entries_[i].spec->name) return i + 1;
    return 0;
  }
  guint count() const { return static_cast<guint>(entries_.size()); }

  // False when there is no such id.
  bool set(S &s, guint id, const GValue *v) const {
    if (id < 1 || id > count()) return false;
    entries_[id - 1].set(s, v);
    return true;
  }
  bool get(const S &s, guint id, GValue *v) const {
    if (id < 1 || id > count()) return false;
    entries_[id - 1].get(s, v);
    return true;
  }

 private:
  struct Entry {
    GParamSpec *spec;
    std::function<void(S &, const GValue *)> set;
    std::function<void(const S &, GValue *)> get;
  };
  template <class Set, class Get>
  void add(GParamSpec *spec, Set set, Get get) {
    entries_.push_back({spec, set, get});
  }

  static GParamFlags flags(Change change) {
    const int base = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    switch (change) {
    case Change::live:
      return static_cast<GParamFlags>(base | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING);
    case Change::playing:
      return static_cast<GParamFlags>(base | GST_PARAM_MUTABLE_PLAYING);
    default:
      return static_cast<GParamFlags>(base | GST_PARAM_MUTABLE_READY);
    }
  }
  template <class P, class T>
  static GParamSpec *spec_of(const P &p, T value, GParamFlags f) {
    if constexpr (std::is_same_v<T, bool>)
      return g_param_spec_boolean(p.name, p.nick, p.blurb, value, f);
    else if constexpr (std::is_same_v<T, int>)
      return g_param_spec_int(p.name, p.nick, p.blurb, p.min, p.max, value, f);
    else
      return g_param_spec_float(p.name, p.nick, p.blurb, p.min, p.max, value, f);
  }
  static void read(const GValue *v, bool &field) { field = g_value_get_boolean(v); }
  static void read(const GValue *v, int &field) { field = g_value_get_int(v); }
  static void read(const GValue *v, float &field) { field = g_value_get_float(v); }
  static void write(GValue *v, bool field) { g_value_set_boolean(v, field); }
  static void write(GValue *v, int field) { g_value_set_int(v, field); }
  static void write(GValue *v, float field) { g_value_set_float(v, field); }

  std::vector<Entry> entries_;
};

} // namespace vigil::gst
