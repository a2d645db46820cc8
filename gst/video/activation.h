// SPDX-License-Identifier: LGPL-2.1-or-later
// How an element starts behind one that plays already.
#pragma once

#include <gst/base/gstbasetransform.h>

namespace vigil::gst {

// change_state() of the parent class. A sink pad takes frames and events from the moment that it is being
// activated, but GstBaseTransform calls start(), and resets its segment after that, without a lock. Here
// frames and serialized events wait until the element is in PAUSED, so that start() runs alone and the
// segment that came with the frames stays.
GstStateChangeReturn change_state_without_frames(GstElementClass *parent, GstElement *, GstStateChange);

inline GstStateChangeReturn change_state_without_frames(GstElementClass *parent, GstElement *element,
                                                        GstStateChange transition) {
  if (transition != GST_STATE_CHANGE_READY_TO_PAUSED) return parent->change_state(element, transition);
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD(element);
  GST_PAD_STREAM_LOCK(sink);
  const GstStateChangeReturn result = parent->change_state(element, transition);
  GST_PAD_STREAM_UNLOCK(sink);
  return result;
}

} // namespace vigil::gst
