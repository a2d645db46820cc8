// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/publisher.h"

namespace vigil::gst::cudamog {
namespace {

const char *name_of(tamper::TamperKind t) {
  switch (t) {
  case tamper::TamperKind::covered:
    return "camera-covered";
  case tamper::TamperKind::blurred:
    return "camera-blurred";
  case tamper::TamperKind::moved:
    break;
  }
  return "camera-moved";
}

void set(GstStructure *s, const char *field, float value) {
  gst_structure_set(s, field, G_TYPE_DOUBLE, double(value), nullptr);
}

} // namespace

void Publisher::start() {
  motion_ = {};
  last_time_ = {};
  motion_time_ = 0;
}

void Publisher::publish(BufferPtr &buffer, const FrameTime &time, const FrameContext &f,
                        MaskCopies::Frame *mask) {
  const Report &report = f.report;
  const MotionSettings &motion = f.settings.motion;
  const std::vector<BlobBox> &boxes = f.detections.boxes;
  if (!boxes.empty() || mask) buffer.reset(gst_buffer_make_writable(buffer.release()));
  add_boxes(buffer.get(), "motion", boxes);
  if (mask) {
    const mog::Params &mog = f.settings.mog;
    MaskCopies::attach(buffer.get(), *mask, mog.detect_shadows ? mog.shadow_value : 0);
  }
  motion_time_ = GST_CLOCK_TIME_IS_VALID(time.running) ? time.running
                                                       : motion_time_ + GstClockTime(f.seconds * GST_SECOND);
  last_time_ = time;
  if (report.tamper && motion.post_messages) post_tamper(*report.tamper, time);
  if (report.light == Report::Light::jumped && motion.post_messages)
    gst_element_post_message(
        element_, new_motion_message(element_, "light-jump", time, report.changed_fraction, boxes));
  if (report.light == Report::Light::steady)
    post_motion(element_, motion_.step(report.moving_fraction, motion, motion_time_), motion_, motion, time,
                report.changed_fraction, boxes);
}

void Publisher::end_of_stream(const MotionSettings &settings, const std::optional<tamper::Event> &tamper) {
  FrameTime over = last_time_; // motion ends with the last frame
  over.running = motion_time_;
  post_motion(element_, motion_.stop(), motion_, settings, over, 0, {});
  if (tamper && settings.post_messages) post_tamper(*tamper, over);
}

void Publisher::post_tamper(const tamper::Event &e, const FrameTime &time) {
  GstStructure *s = new_timed_structure(name_of(e.trouble), time);
  gst_structure_set(s, "state", G_TYPE_STRING, e.begins ? "begin" : "end", nullptr);
  if (GST_CLOCK_TIME_IS_VALID(time.running)) {
    const auto ago = static_cast<GstClockTime>(e.since * GST_SECOND);
    gst_structure_set(s, "since", G_TYPE_UINT64, guint64(time.running - MIN(ago, time.running)), nullptr);
  }
  set(s, "agreement", e.seen.agreement);
  if (e.seen.sharpness) set(s, "sharpness", *e.seen.sharpness);
  if (e.shift) {
    set(s, "shift-x", e.shift->x);
    set(s, "shift-y", e.shift->y);
  }
  gst_element_post_message(element_, gst_message_new_element(GST_OBJECT(element_), s));
}

} // namespace vigil::gst::cudamog
