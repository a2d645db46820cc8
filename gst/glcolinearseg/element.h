// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element glcolinearseg, for the files that make it up:
//   element.cpp           the GObject: properties, signals, class
//   streaming.cpp         frames, events and queries
//   negotiation.cpp       caps and buffer pools
//   worker.*              the segmentation, wherever it is done
//   gl_worker.*           in an OpenGL context
//   cuda_worker.*         on a CUDA device
//   outside.*             frames that are not in textures, for work in OpenGL
//   image.*               background images from files and samples
//   settings.*            all that can be set
#pragma once

#include "gst/glcolinearseg/cuda_worker.h"
#include "gst/glcolinearseg/gl_worker.h"
#include "gst/glcolinearseg/outside.h"
#include "gst/memory/cuda_context.h"
#include "gst/observe/motion.h"
#include "gst/transform/outlet.h"
#include "gst/transform/place.h"

#include <atomic>
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

enum class Memory { textures, cuda, system };

struct Impl final : FrameSource {
  explicit Impl(GstBaseTransform *t) : trans(t), outlet(t, *this) {}

  // Frames that are worked on in CUDA, of which some may be held.
  std::optional<Taken> take(bool all) override;
  void discard() noexcept override;
  int most_held() override;

  GstBaseTransform *trans;
  Outlet outlet;

  // Held for moments, by any thread. Guards what follows.
  std::mutex mutex;
  Settings settings;
  bool learn = false;            // learn-background was emitted
  std::optional<Picture> given;  // by set-background, for the next frame
  bool location_changed = false; // background-location is to be read
  int width = 0, height = 0;     // of the frames; 0: not known
  Stats stats;                   // after the last frame
  ByteCounts copied;             // likewise; of frames that are not in textures

  CudaContext cuda; // of frames in CUDA memory

  // The streaming thread's own, or of the OpenGL thread while that one waits.
  std::unique_ptr<GstGLContext, ObjectUnref> context; // that gl_worker is in
  std::unique_ptr<GlWorker> gl_worker;                // there is one of the two at most
  std::unique_ptr<Device> device;                     // while frames are in CUDA memory or worked on there
  std::unique_ptr<CudaWorker> cuda_worker;            // on that device
  std::optional<colinearseg::State> rescued;          // from a worker that is gone
  std::atomic<bool> on_cuda = false;                  // where frames are worked on; others look at it
  FrameKind kind_in, kind_out;                        // while it is
  Memory memory_in = Memory::textures, memory_out = Memory::textures; // the same, or out to textures
  bool changes_frames = false;                                        // their memory or their format
  std::unique_ptr<Outside> outside; // in OpenGL, while some are not in textures
  std::unique_ptr<Queue> queue;     // likewise, while they are in CUDA memory
  std::unique_ptr<Event> scratch;
  HostCopyWarning host_copies;
  Settings current; // of the newest frame
  Found found;      // in OpenGL, of the frame that is worked on
  std::exception_ptr error;
  Motion motion;
  GstClockTime motion_time = 0; // running time of the frame that went last
  FrameTime last_time;          // of the same

  Worker *worker() const { return gl_worker ? static_cast<Worker *>(gl_worker.get()) : cuda_worker.get(); }
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
void install_negotiation(GstGLFilterClass *);
void install_streaming(GstGLFilterClass *);

// Another CUDA device than before, or none; the worker on the one before is given up, and what it knew kept.
void use_cuda(Impl &, std::unique_ptr<Device>);
// How many frames are under way at most, with frames like these.
guint frames_held(Impl &);
// Gives up the worker, wherever it is; no frame is under way; what it knew is in `rescued`, as far as it can be read.
void give_up_worker(Impl &);

} // namespace vigil::gst::glcolinearseg
