// SPDX-License-Identifier: LGPL-2.1-or-later
// Boxes in, tracks out.
#include "gst/boxtrack/element.h"
#include "gst/compat.h"
#include "gst/errors.h"
#include "gst/metadata/track_meta.h"

#include <algorithm>
#include <cmath>

namespace vigil::gst::boxtrack {
namespace {

// kernels/blobs' moments and mean colour, where the box is such a blob's.
void read_blob(GstVideoRegionOfInterestMeta *roi, track::Detection &d) {
  const GstStructure *s = gst_video_region_of_interest_meta_get_param(roi, "blob");
  if (!s) return;
  gst_structure_get_double(s, "xx", &d.spread.xx);
  gst_structure_get_double(s, "yy", &d.spread.yy);
  gdouble c0 = 0, c1 = 0, c2 = 0;
  if (!gst_structure_get_double(s, "c0", &c0)) return;
  gst_structure_get_double(s, "c1", &c1);
  gst_structure_get_double(s, "c2", &c2);
  d.has_colour = true;
  d.colour = {static_cast<float>(c0), static_cast<float>(c1), static_cast<float>(c2)};
}

void find_boxes(Impl &impl, GstBuffer *buffer, const std::string &wanted) {
  impl.detections.clear();
  impl.found.clear();
  impl.next_box = 0;
  const GQuark type = wanted.empty() ? 0 : g_quark_from_string(wanted.c_str());
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    impl.next_box = std::max(impl.next_box, roi->id == G_MAXINT ? 0 : roi->id + 1);
    if (type && roi->roi_type != type) continue;
    if (gst_video_region_of_interest_meta_get_param(roi, track_param)) continue; // somebody's track already
    track::Detection d;
    d.box = box_of(roi);
    d.label = roi->roi_type;
    read_blob(roi, d);
    impl.detections.push_back(d);
    impl.found.push_back({roi, -1});
  }
  // Detections of GstAnalytics: those that the boxes say, too, and those that nothing else says.
  const std::size_t boxes = impl.detections.size();
  for_each_object(buffer, [&](const ObjectMeta &o) {
    if (type && o.type != type) return;
    const track::Box b{double(o.x), double(o.y), double(o.width), double(o.height)};
    for (std::size_t i = 0; i < boxes; i++) {
      const track::Box &known = impl.detections[i].box;
      if (impl.found[i].object >= 0 || impl.detections[i].label != o.type || known.x != b.x ||
          known.y != b.y || known.width != b.width || known.height != b.height)
        continue;
      impl.found[i].object = o.id;
      return;
    }
    track::Detection d;
    d.box = b;
    d.label = o.type;
    impl.detections.push_back(d);
    impl.found.push_back({nullptr, gint64(o.id)});
  });
}

// The part of a box that lies in the picture, as a new meta; null when there is none.
GstVideoRegionOfInterestMeta *add_box(GstBuffer *buffer, Impl &impl, const track::Object &o) {
  double left = std::max(0., std::round(o.box.x)), top = std::max(0., std::round(o.box.y));
  double right = std::round(o.box.x + o.box.width), bottom = std::round(o.box.y + o.box.height);
  if (impl.place.width > 0) right = std::min(right, impl.place.width);
  if (impl.place.height > 0) bottom = std::min(bottom, impl.place.height);
  if (right <= left || bottom <= top) return nullptr;
  auto *meta = gst_buffer_add_video_region_of_interest_meta_id(buffer, o.label, guint(left), guint(top),
                                                               guint(right - left), guint(bottom - top));
  meta->id = impl.next_box++;
  return meta;
}

void attach(GstBuffer *buffer, Impl &impl, const track::Object &o, const FrameTime &time, bool estimates) {
  GstVideoRegionOfInterestMeta *roi = nullptr;
  if (o.state == track::State::tracked && o.detection >= 0) {
    const FrameBox &f = impl.found[static_cast<std::size_t>(o.detection)];
    // A track whose box shows but a part of it has a box of its own.
    if (o.box == impl.detections[static_cast<std::size_t>(o.detection)].box) roi = f.roi;
    if (f.object >= 0) {
      const auto seen = [&](double s) {
        const double ago = (impl.place.seconds - s) * GST_SECOND;
        return time.timestamp > ago ? time.timestamp - GstClockTime(std::max(0., ago)) : 0;
      };
      add_tracking_meta(buffer, guint(f.object), o.id, seen(o.first_seen), seen(o.last_seen));
    }
    if (!roi) roi = add_box(buffer, impl, o);
  } else if (estimates)
    roi = add_box(buffer, impl, o);
  if (roi) add_track(roi, o, impl.place.seconds);
}

GstFlowReturn transform_ip(GstBaseTransform *trans, GstBuffer *buffer) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    Impl &impl = impl_of(trans);
    const Settings settings = impl.snapshot();
    const FrameTime time = frame_time(trans->segment, buffer);
    const double before = impl.place.seconds;
    impl.place.seconds = seconds_of(impl.place.info, time, impl.place.seconds);
    if (impl.place.seconds < before) {
      GST_DEBUG_OBJECT(trans, "time went back from %f to %f s, all tracks end", before, impl.place.seconds);
      impl.tracker.reset();
      impl.next_update = 0;
      post_changes(GST_ELEMENT(trans), impl, settings, impl.place.last_time);
    }
    impl.place.last_time = time;
    if (impl.place.passes_by(buffer, time)) return GST_FLOW_OK;
    find_boxes(impl, buffer, settings.roi_type);
    impl.tracker.set(settings.tracks);
    impl.tracker.step(impl.detections, impl.place.seconds, impl.place.width, impl.place.height);
    for (const track::Object &o : impl.tracker.objects())
      attach(buffer, impl, o, time, settings.reports.attach_estimates);
    {
      const std::lock_guard lock(impl.mutex);
      impl.stats.frames++;
      impl.stats.boxes += impl.detections.size();
      impl.stats.passed_over += impl.tracker.passed_over();
    }
    post_changes(GST_ELEMENT(trans), impl, settings, time);
    return GST_FLOW_OK;
  });
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  Impl &impl = impl_of(trans);
  const bool first = impl.place.width <= 0;
  if (!impl.place.set_caps(in) || first) return TRUE;
  // Places in pictures of another size say nothing of this one.
  return guard(trans, FALSE, [&] {
    impl.tracker.reset();
    post_changes(GST_ELEMENT(trans), impl, impl.snapshot(), impl.place.last_time);
    return TRUE;
  });
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    guard(trans, false, [&] {
      Impl &impl = impl_of(trans);
      impl.tracker.reset();
      impl.next_update = 0;
      post_changes(GST_ELEMENT(trans), impl, impl.snapshot(), impl.place.last_time);
      return true;
    });
  return parent_class()->sink_event(trans, event);
}

} // namespace

void install_streaming(GstBaseTransformClass *transform) {
  pass_any_frames(transform);
  transform->transform_ip = transform_ip;
  transform->set_caps = set_caps;
  transform->sink_event = sink_event;
}

} // namespace vigil::gst::boxtrack
