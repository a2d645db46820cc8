// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/video/activation.h"

namespace vigil::gst {

GstStateChangeReturn change_state_without_frames(GstElementClass *parent, GstElement *element,
                                                 GstStateChange transition) {
  if (transition != GST_STATE_CHANGE_READY_TO_PAUSED) return parent->change_state(element, transition);
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD(element);
  GST_PAD_STREAM_LOCK(sink);
  const GstStateChangeReturn result = parent->change_state(element, transition);
  GST_PAD_STREAM_UNLOCK(sink);
  return result;
}

} // namespace vigil::gst
