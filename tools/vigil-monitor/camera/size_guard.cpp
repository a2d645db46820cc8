// SPDX-License-Identifier: LGPL-2.1-or-later
#include "size_guard.h"

#include "common/guarded.h"
#include "utc.h"

namespace vigil::monitor {

void SizeGuard::watch_caps(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, guarded<SizeGuard::caps, GST_PAD_PROBE_OK>,
                    this, nullptr);
}

void SizeGuard::stop_frames(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<SizeGuard::frame, GST_PAD_PROBE_OK>, this,
                    nullptr);
}

void SizeGuard::judge_change(int width, int height) {
  if (!changes_count_) return;
  if (const auto why = limit_.changes(width, height, Utc::monotonic_seconds())) refuse(*why);
}

void SizeGuard::refuse(const std::string &why) {
  if (refused_.exchange(true)) return;
  GST_ELEMENT_ERROR(pipeline_, STREAM, WRONG_TYPE, ("%s", why.c_str()), (nullptr));
}

// Before the source's stream goes to anything that takes memory for its pictures.
GstPadProbeReturn SizeGuard::caps(GstPad *, GstPadProbeInfo *info, gpointer user) {
  SizeGuard &g = *static_cast<SizeGuard *>(user);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    if (const auto why = g.limit_.refuses(caps)) g.refuse(*why);
    if (g.refused_) return GST_PAD_PROBE_DROP;
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn SizeGuard::frame(GstPad *, GstPadProbeInfo *, gpointer user) {
  return static_cast<SizeGuard *>(user)->refused_ ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

} // namespace vigil::monitor
