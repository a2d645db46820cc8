// SPDX-License-Identifier: LGPL-2.1-or-later
// The element boxrules as a GObject: properties, action signals, start and stop.
#include "gst/boxrules/element.h"
#include "common/error.h"
#include "gst/elements.h"
#include "gst/errors.h"

GST_DEBUG_CATEGORY(box_rules_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::boxrules;

struct GstBoxRulesClass {
  GstBaseTransformClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstBoxRules, gst_box_rules, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst::boxrules {
GstBaseTransformClass *parent_class() {
  return GST_BASE_TRANSFORM_CLASS(gst_box_rules_parent_class);
}
} // namespace vigil::gst::boxrules

static const Properties<Settings> &properties() {
  static const Properties<Settings> all = [] {
    Properties<Settings> p;
    p.string("rules-location", "Location of the rules",
             "File with the rules, read when this is set; what it says takes the place of rules. When it "
             "cannot be used, "
             "a warning is posted and the old rules stay",
             &Settings::location, Change::playing);
    p.table(&Settings::engine, rules::settings_table, Change::live);
    p.table(&Settings::reports, reports_table, Change::live);
    return p;
  }();
  return all;
}
static guint rules_id() {
  return properties().stats_id() + 1;
}

// Rules. What happens when they change: change() makes the new ones from the old ones, or throws.

template <class Fn>
static bool change_rules(gpointer self, Fn &&change) {
  try {
    impl_of(self).wanted.change(change);
    return true;
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT_CAST(self), e); // the lock is free again
    return false;
  }
}

static gboolean add_zone(GstBoxRules *self, const gchar *text) {
  return change_rules(self, [&](rules::Rules &r) { put(r, rules::parse_zone(text ? text : "", r.units)); });
}
static gboolean add_line(GstBoxRules *self, const gchar *text) {
  return change_rules(self, [&](rules::Rules &r) { put(r, rules::parse_line(text ? text : "", r.units)); });
}
static gboolean remove_rule(GstBoxRules *self, const gchar *name) {
  return change_rules(self, [&](rules::Rules &r) {
    if (!rules::remove(r, name ? name : ""))
      fail(Error::Kind::bad_setting, "there is no zone or line \"", name ? name : "", "\" to remove");
  });
}
static void reset_totals(GstBoxRules *self) {
  impl_of(self).wanted.reset_totals();
}

// Properties

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  if (id == rules_id()) {
    const gchar *text = g_value_get_string(value);
    change_rules(object, [&](rules::Rules &r) { r = rules::parse(text ? text : ""); });
    return;
  }
  bool known = false;
  const std::string location = impl.settings.change([&](Settings &s) {
    known = properties().set(s, id, value);
    return s.location;
  });
  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (known && id == 1 && !location.empty()) {
    try {
      const std::string text = read_rules(location);
      change_rules(object, [&](rules::Rules &r) { r = rules::parse(text); });
    } catch (const std::exception &e) {
      post_warning(GST_ELEMENT_CAST(object), e);
    }
  }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  if (id == properties().stats_id()) {
    g_value_take_boxed(value, impl.stats.structure());
    return;
  }
  if (id == rules_id())
    g_value_set_string(value, impl.wanted.text().c_str());
  else if (!impl.settings.read([&](const Settings &s) { return properties().get(s, id, value); }))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    impl.engine = {};
    impl.wanted.restart();
    impl.picture_rules.restart();
    impl.place = {};
    impl.waiting.clear();
    impl.painter.restart();
    impl.stats.restart();
    return TRUE;
  });
}

static void finalize(GObject *object) {
  delete reinterpret_cast<GstBoxRules *>(object)->impl;
  G_OBJECT_CLASS(gst_box_rules_parent_class)->finalize(object);
}

static void gst_box_rules_init(GstBoxRules *self) {
  self->impl = new Impl;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM(self), TRUE);
}

static void install_signals(GObjectClass *klass) {
  const GType type = G_TYPE_FROM_CLASS(klass);
  const auto flags = static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION);
  const auto with_text = [&](const char *name, GCallback handler) {
    g_signal_new_class_handler(name, type, flags, handler, nullptr, nullptr, nullptr, G_TYPE_BOOLEAN, 1,
                               G_TYPE_STRING);
  };
  with_text("add-zone", G_CALLBACK(add_zone));
  with_text("add-line", G_CALLBACK(add_line));
  with_text("remove", G_CALLBACK(remove_rule));
  g_signal_new_class_handler("reset-totals", type, flags, G_CALLBACK(reset_totals), nullptr, nullptr, nullptr,
                             G_TYPE_NONE, 0);
}

static void gst_box_rules_class_init(GstBoxRulesClass *klass) {
  GST_DEBUG_CATEGORY_INIT(box_rules_debug, "boxrules", 0, "Zones and lines");
  register_rules_meta();
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object,
      "Structure: frames; tracks in the last one; events; zones, each with name, count, entered and left; "
      "lines, each with name, forward and backward");
  g_object_class_install_property(
      object, rules_id(),
      g_param_spec_string(
          "rules", "Rules",
          "Zones and lines as JSON text. When it cannot be used, a warning with line and reason is posted "
          "and the old rules stay",
          "",
          static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)));
  install_signals(object);

  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element, "Zones and lines", "Filter/Analyzer/Video",
      "Says what tracks do in zones and at lines: enter, leave, stay, cross, crowd, leave "
      "things behind",
      VIGIL_AUTHORS);
  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  install_streaming(transform);
}

GST_ELEMENT_REGISTER_DEFINE(boxrules, "boxrules", GST_RANK_NONE, gst_box_rules_get_type())
