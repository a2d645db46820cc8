// SPDX-License-Identifier: LGPL-2.1-or-later
// The element boxtrack as a GObject: properties, start and stop.
#include "gst/elements.h"

#include "gst/boxtrack/element.h"
#include "gst/errors.h"

GST_DEBUG_CATEGORY(box_track_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::boxtrack;

struct GstBoxTrackClass {
  GstBaseTransformClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstBoxTrack, gst_box_track, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst::boxtrack {
GstBaseTransformClass *parent_class() {
  return GST_BASE_TRANSFORM_CLASS(gst_box_track_parent_class);
}
} // namespace vigil::gst::boxtrack

static const Properties<Settings> &properties() {
  static const Properties<Settings> all = [] {
    Properties<Settings> p;
    p.string("roi-type", "Type of boxes",
             "Track boxes of this type alone (motion, person, ...). None: all of them", &Settings::roi_type,
             Change::playing);
    p.table(&Settings::tracks, track::params_table, Change::live);
    p.table(&Settings::reports, reports_table, Change::live);
    return p;
  }();
  return all;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  if (!properties().set(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  if (id == properties().stats_id()) {
    const Stats &s = impl.stats;
    g_value_take_boxed(value,
                       gst_structure_new("stats", "frames", G_TYPE_UINT64, s.frames, "boxes", G_TYPE_UINT64,
                                         s.boxes, "passed-over", G_TYPE_UINT64, s.passed_over, "tracks",
                                         G_TYPE_UINT64, s.current, "begun", G_TYPE_UINT64, s.begun, "ended",
                                         G_TYPE_UINT64, s.ended, nullptr));
  } else if (!properties().get(impl.settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    impl.tracker = {};
    impl.alive.clear();
    impl.place = {};
    impl.next_update = 0;
    const std::lock_guard lock(impl.mutex);
    impl.stats = {};
    return TRUE;
  });
}

static void finalize(GObject *object) {
  delete reinterpret_cast<GstBoxTrack *>(object)->impl;
  G_OBJECT_CLASS(gst_box_track_parent_class)->finalize(object);
}

static void gst_box_track_init(GstBoxTrack *self) {
  self->impl = new Impl;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM(self), TRUE);
}

static void gst_box_track_class_init(GstBoxTrackClass *klass) {
  GST_DEBUG_CATEGORY_INIT(box_track_debug, "boxtrack", 0, "Boxes to tracks");
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object,
      "Structure: frames; boxes in them, and passed-over, those without size or too many; tracks now; begun "
      "and ended since the start");

  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element, "Tracks of boxes", "Filter/Analyzer/Video",
      "Gives boxes of any detector numbers that stay from frame to frame, through "
      "meetings and hidden places; needs no pixels",
      VIGIL_AUTHORS);
  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  install_streaming(transform);
}

GST_ELEMENT_REGISTER_DEFINE(boxtrack, "boxtrack", GST_RANK_NONE, gst_box_track_get_type())
