// SPDX-License-Identifier: LGPL-2.1-or-later
// VigilTransform, the base class of elements that work on frames with a device. An element derives from it,
// gives it its Element (element.h) in the instance's init function, and describes itself in the class's. The
// class has no properties of its own; it serves those of the Element, `stats` among them.
//   transform.cpp      the GObject: properties, states, the life of the processor
//   streaming.cpp      frames, events, queries
//   negotiation.cpp    caps and pools
//   element.h          what an element brings; frame_processor.h: what works on its frames
//   device_selector.*  the device and the contexts: cuda_selector.*, gl_selector.*, opencl_selector.*
//   active_processor.* the processor on its device, its frames and state
//   frames_in_flight.* the frames that are held
//   ordered_output.*   the order of frames and events
//   pools.*            the arithmetic of pools
//
// The rules that hold for all elements:
//   - The context of a frame is followed before the base class sees the frame, so that pools are negotiated
//   again for the same frame.
//   - The state of a processor moves on by FrameProcessor::export_state() and import_state() only.
//   - No lock is held while neighbours are asked, frames are pushed or messages are posted.
//   - Reading `stats` waits for no work: the counts are copied after each frame.
//   - A frame that comes before there is a format is refused with GST_FLOW_NOT_NEGOTIATED.
#pragma once

#include "gst/transform/element.h"

#include <functional>
#include <gst/base/gstbasetransform.h>
#include <memory>

namespace vigil::gst {
struct TransformImpl;
}

struct VigilTransform {
  GstBaseTransform parent;
  vigil::gst::TransformImpl *impl;
};
struct VigilTransformClass {
  GstBaseTransformClass parent_class;
};
GType vigil_transform_get_type();

namespace vigil::gst {

// In the class's init function: the properties of the Element, and what its `stats` tells. (GObject gives
// each class functions of its own for its properties.)
void serve_properties(GObjectClass *);
template <class S>
void install_properties(gpointer klass, const Properties<S> &properties, const char *stats_fields) {
  serve_properties(G_OBJECT_CLASS(klass));
  properties.install_with_stats(G_OBJECT_CLASS(klass), stats_fields);
}
// In the instance's init function.
void set_element(VigilTransform *, std::unique_ptr<Element>);
Element &element_of(gpointer self);

// Runs fn(work) under the work lock; the work is null when there is none. For signals; any thread.
void with_work(VigilTransform *, const std::function<void(FrameProcessor *)> &);
// The same for changes that need other results for each frame: all frames are pushed before, and their memory
// is made again afterwards. For the streaming thread (Element::before_frame).
void change_work(VigilTransform *, const std::function<void(FrameProcessor &)> &);
// The kind of buffers that come in or go out changed with a property: pools are negotiated again on both
// sides. Any thread.
void pools_changed(VigilTransform *);

} // namespace vigil::gst
