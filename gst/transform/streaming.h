// SPDX-License-Identifier: LGPL-2.1-or-later
// How frames get into elements that hold some of them while a device works, and how they get out.
#pragma once

#include "gst/video/buffer_ptr.h"

#include <functional>
#include <gst/base/gstbasetransform.h>

namespace vigil::gst {

// For submit_input_buffer(): the base class negotiates, and drops late frames; what it does not drop is `in`. Where this is
// not GST_FLOW_OK, there is no frame to work on.
GstFlowReturn take_input(GstBaseTransformClass *base, GstBaseTransform *, gboolean discont, GstBuffer *input,
                         BufferPtr &in);
// Pushes what take() gives until it gives null; after a push that failed the rest is thrown away. Exceptions become errors of
// the element.
void push_all(GstBaseTransform *, const std::function<GstBuffer *()> &take);
// The element holds more or fewer frames from now on: latency, and pools with room for them, are asked for anew. Any thread.
void held_frames_changed(GstBaseTransform *);

// What an element does about the frames that it holds.
struct HeldFrames {
  void (*discard)(GstBaseTransform *); // drops them
  void (*drain)(GstBaseTransform *);   // pushes them
  int (*most)(GstBaseTransform *);     // how many there may be
};
// For sink_event(), before the base class's: a flush drops them; nothing else overtakes them.
void before_event(GstBaseTransform *, GstEvent *, const HeldFrames &);
// For query(), in place of the base class's, which it asks: DRAIN lets go of them, and LATENCY hears of the time that they last.
gboolean answer_query(GstBaseTransformClass *base, GstBaseTransform *, GstPadDirection, GstQuery *,
                      const HeldFrames &);

// As before_transform(): what controllers say of properties at the frame's time.
void sync_controlled(GstBaseTransform *, GstBuffer *);

} // namespace vigil::gst
