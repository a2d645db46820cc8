// SPDX-License-Identifier: LGPL-2.1-or-later
// Boxes in, tracks out.
#include "gst/boxtrack/element.h"
#include "gst/compat.h"
#include "gst/errors.h"
#include "gst/observe/track_meta.h"
#include "gst/transform/outlet.h"

#include <algorithm>
#include <cmath>

namespace vigil::gst::boxtrack {
namespace {

// kernels/blobs' mean colour, where the box is such a blob's.
void read_colour(GstVideoRegionOfInterestMeta *roi, track::Detection &d) {
  const GstStructure *s = gst_video_region_of_interest_meta_get_param(roi, "blob");
  gdouble c0 = 0, c1 = 0, c2 = 0;
  if (!s || !gst_structure_get_double(s, "c0", &c0)) return;
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
    read_colour(roi, d);
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
  if (impl.width > 0) right = std::min(right, impl.width);
  if (impl.height > 0) bottom = std::min(bottom, impl.height);
  if (right <= left || bottom <= top) return nullptr;
  auto *meta = gst_buffer_add_video_region_of_interest_meta_id(buffer, o.label, guint(left), guint(top),
                                                               guint(right - left), guint(bottom - top));
  meta->id = impl.next_box++;
  return meta;
}

void attach(GstBuffer *buffer, Impl &impl, const track::Object &o, const FrameTime &time, bool estimates) {
  GstVideoRegionOfInterestMeta *roi = nullptr;
  if (o.state == track::State::tracked && o.detection >= 0) {
    const Found &f = impl.found[static_cast<std::size_t>(o.detection)];
    roi = f.roi;
    if (f.object >= 0) {
      const auto seen = [&](double s) {
        const double ago = (impl.seconds - s) * GST_SECOND;
        return time.timestamp > ago ? time.timestamp - GstClockTime(std::max(0., ago)) : 0;
      };
      add_tracking_meta(buffer, guint(f.object), o.id, seen(o.first_seen), seen(o.last_seen));
    }
    if (!roi) roi = add_box(buffer, impl, o);
  } else if (estimates)
    roi = add_box(buffer, impl, o);
  if (roi) add_track(roi, o, impl.seconds);
}

GstFlowReturn transform_ip(GstBaseTransform *trans, GstBuffer *buffer) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    Impl &impl = impl_of(trans);
    const Settings settings = impl.snapshot();
    const FrameTime time = frame_time(trans->segment, buffer);
    const double before = impl.seconds;
    impl.seconds = seconds_of(impl.info, time, impl.seconds);
    if (impl.seconds < before) {
      GST_DEBUG_OBJECT(trans, "time went back from %f to %f s, all tracks end", before, impl.seconds);
      impl.tracker.reset();
      impl.next_update = 0;
      post_changes(GST_ELEMENT(trans), impl, settings, impl.last_time);
    }
    impl.last_time = time;
    find_boxes(impl, buffer, settings.roi_type);
    impl.tracker.set(settings.tracks);
    impl.tracker.step(impl.detections, impl.seconds, impl.width, impl.height);
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

// Metadata is all that changes, so a frame that others hold, too, is not copied: a new buffer has the same
// memory.
GstFlowReturn prepare_output_buffer(GstBaseTransform *, GstBuffer *in, GstBuffer **out) {
  *out = gst_buffer_is_writable(in) ? in : gst_buffer_copy(in);
  return GST_FLOW_OK;
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  Impl &impl = impl_of(trans);
  gint width = 0, height = 0;
  const GstStructure *s = gst_caps_get_structure(in, 0);
  gst_structure_get_int(s, "width", &width);
  gst_structure_get_int(s, "height", &height);
  if (!gst_video_info_from_caps(&impl.info, in)) impl.info = {};
  const bool another = impl.width > 0 && (width != impl.width || height != impl.height);
  impl.width = width;
  impl.height = height;
  if (!another) return TRUE;
  // Places in pictures of another size say nothing of this one.
  return guard(trans, FALSE, [&] {
    impl.tracker.reset();
    post_changes(GST_ELEMENT(trans), impl, impl.snapshot(), impl.last_time);
    return TRUE;
  });
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    guard(trans, false, [&] {
      Impl &impl = impl_of(trans);
      impl.tracker.reset();
      impl.next_update = 0;
      post_changes(GST_ELEMENT(trans), impl, impl.snapshot(), impl.last_time);
      return true;
    });
  return parent_class()->sink_event(trans, event);
}

} // namespace

// Frames come to the next element as they are, so it says what it wants of them.
static gboolean propose_allocation(GstBaseTransform *trans, GstQuery *, GstQuery *query) {
  return gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(trans), query);
}
static gboolean decide_allocation(GstBaseTransform *, GstQuery *) {
  return TRUE; // frames are not made here
}

void install_streaming(GstBaseTransformClass *transform) {
  transform->decide_allocation = decide_allocation;
  transform->propose_allocation = propose_allocation;
  transform->transform_ip = transform_ip;
  transform->transform_ip_on_passthrough = FALSE;
  transform->prepare_output_buffer = prepare_output_buffer;
  transform->set_caps = set_caps;
  transform->sink_event = sink_event;
  transform->before_transform = sync_controlled;
}

} // namespace vigil::gst::boxtrack
