// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decoder_gate.h"

#include "utc.h"

#include <utility>

namespace vigil::monitor {

bool DecoderGate::passes_frame(const GstBuffer *frame) {
  guint buffers = 0, bytes = 0;
  guint64 time = 0;
  g_object_get(queue_, "current-level-buffers", &buffers, "current-level-bytes", &bytes, "current-level-time",
               &time, nullptr);
  // A relay begins with seconds of the past at once; a camera of a picture in ten seconds is not late. A
  // queue that was full has to become half empty.
  constexpr guint most_bytes = 32u << 20, few = 8;
  constexpr guint64 longest = 10 * GST_SECOND;
  const guint part = key_gate_.waiting() ? 2 : 1;
  const bool behind = bytes >= most_bytes / part || (buffers >= few && time >= longest / part);
  const bool key = !GST_BUFFER_FLAG_IS_SET(frame, GST_BUFFER_FLAG_DELTA_UNIT);
  const bool waited = key_gate_.waiting();
  const bool passes = key_gate_.passes(key, behind, Utc::monotonic_seconds());
  if (passes && waited && key_gate_.gave_up())
    GST_ELEMENT_WARNING(pipeline_, STREAM, DECODE, ("%s", no_key_frame), (nullptr));
  return passes;
}

bool DecoderGate::passes_picture(GstPadProbeInfo *info) {
  GstBuffer *b = GST_PAD_PROBE_INFO_BUFFER(info);
  const bool damaged = GST_BUFFER_FLAG_IS_SET(b, GST_BUFFER_FLAG_CORRUPTED);
  switch (damage_gate_.judge(damaged, key_gate_.gave_up(), Utc::monotonic_seconds())) {
  case DamageGate::Verdict::pass:
    break;
  case DamageGate::Verdict::drop:
    return false;
  case DamageGate::Verdict::take_as_whole:
    b = gst_buffer_make_writable(b);
    GST_PAD_PROBE_INFO_DATA(info) = b;
    GST_BUFFER_FLAG_UNSET(b, GST_BUFFER_FLAG_CORRUPTED);
    if (!key_gate_.gave_up() && !std::exchange(all_damaged_reported_, true))
      GST_ELEMENT_WARNING(pipeline_, STREAM, DECODE, ("%s", all_damaged), (nullptr));
    break;
  }
  return true;
}

} // namespace vigil::monitor
