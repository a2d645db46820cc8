// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element glcolinearseg, for the files that make it up:
//   gstglcolinearseg.cpp  the GObject: properties, signals, class
//   streaming.cpp         frames and events
//   worker.*              the work in an OpenGL context
//   image.*               background images from files and samples
//   settings.*            all that can be set
#pragma once

#include "gst/base/motion.h"
#include "gst/glcolinearseg/worker.h"

#include <cmath>
#include <exception>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfilter.h>
#include <mutex>

GST_DEBUG_CATEGORY_EXTERN(gl_colinear_seg_debug);
#define GST_CAT_DEFAULT gl_colinear_seg_debug

namespace vigil::gst::glcolinearseg {

struct ObjectUnref {
  void operator()(gpointer o) const { gst_object_unref(o); }
};

struct Impl {
  // Held for moments, by any thread. Guards what follows.
  std::mutex mutex;
  Settings settings;
  bool learn = false;            // learn-background was emitted
  std::optional<Picture> given;  // by set-background, for the next frame
  bool location_changed = false; // background-location is to be read
  int width = 0, height = 0;     // of the frames; 0: not known
  Stats stats;                   // after the last frame

  // The streaming thread's own, or of the OpenGL thread while that one waits.
  std::unique_ptr<GstGLContext, ObjectUnref> context; // that the worker is in
  std::unique_ptr<Worker> worker;
  std::optional<colinearseg::State> rescued; // from a context that was lost
  Settings current;                          // of the frame that is worked on
  Found found;
  std::exception_ptr error;
  Motion motion;
  GstClockTime motion_time = 0;
};

} // namespace vigil::gst::glcolinearseg

struct GstGLColinearSeg {
  GstGLFilter parent;
  vigil::gst::glcolinearseg::Impl *impl;
};

namespace vigil::gst::glcolinearseg {

inline Impl &impl_of(gpointer self) {
  return *static_cast<GstGLColinearSeg *>(self)->impl;
}
// The base class, whose functions ours go on to.
GstGLFilterClass *parent_class();
void install_streaming(GstGLFilterClass *);

} // namespace vigil::gst::glcolinearseg
