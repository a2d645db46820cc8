// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements that work in OpenCL share: the device, frames on their way to it and back, flow, statistics. They take frames
// in system memory, in CUDA memory and in OpenGL textures, and give what they are given. Such an element
// derives from VigilClTransform, has properties of its own, and gives the class a function that makes its ClWork, which is all
// that it does on the device. The base class has the properties device, async-depth and stats.
//   opencl.cpp            the GObject: properties, states
//   opencl_streaming.cpp  caps, pools, frames, events
//   opencl_place.cpp      which device the work is done on
//   opencl_pipeline.*     the way of a frame, without GstElement
//   cuda_opencl_frames.*  frames in CUDA memory, and in textures that CUDA reaches
//   opencl_gl_frames.*    frames in textures that OpenCL reaches by itself
//   opencl_devices.cpp    one device for all elements of the process that choose it
#pragma once

#include "common/opencl/device.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/slots.h"
#include "gst/observe/results.h"

#include <gst/base/gstbasetransform.h>
#include <memory>
#include <string>

// For pad templates: the formats in system memory, and those in CUDA memory, which builds with CUDA take; and textures.
#define VIGIL_CL_CAPS(SYSTEM, CUDA)                                                                          \
  GST_VIDEO_CAPS_MAKE(SYSTEM) ";" VIGIL_CUDA_CAPS(CUDA) VIGIL_GL_CAPS("{ RGBA }")

namespace vigil::gst {

// What is done with a frame.
enum class ClUse {
  none,   // it passes by
  look,   // it is read, and goes on as it is
  change, // it is read and changed in its own memory
  make,   // another one is made from it, which goes on in its place
};

// An element's part on a device. The calls come one at a time, from the streaming thread but for add_stats(); with work of
// earlier frames still under way where async-depth allows it. Errors are thrown and become messages of the element.
class ClWork {
 public:
  // What a frame has besides its pictures, from run() to publish(); made once for each frame under way, then used again.
  struct Result {
    virtual ~Result() = default;
  };
  virtual ~ClWork() = default;
  // What frames are from now on; none is under way.
  virtual void set_format(const GstVideoInfo &) = 0;
  virtual std::unique_ptr<Result> make_result() { return nullptr; }
  // What is to be done with the next frame, by the settings of this moment, which run() then works by.
  virtual ClUse next_use() = 0;
  // Submits the work for a frame, with memory of the device: `out` is the picture to make, or for ClUse::change the frame itself.
  virtual void run(const ConstImage &in, const Image &out, Result *, Queue &) = 0;
  // What run() changes of a picture with ClUse::change.
  virtual Area changed() const { return {}; }
  // The frame is finished and goes on after this. Called without locks: messages may be posted.
  virtual void publish(BufferPtr &, const FrameTime &, ClUse, Result *) {}
  virtual std::uint64_t result_bytes() const { return 0; } // read back besides pictures
  virtual void add_stats(GstStructure *) const {}
};

// Where an element that has a CUDA backend beside its OpenCL one is to work.
enum class ClChoice { automatic, opencl, cuda };
GType cl_choice_type();

// The device that `selector` means (see open_cl), shared by all who ask for it while any of them keeps it.
std::shared_ptr<ClDevice> share_cl_device(const std::string &selector);

struct ClImpl;

} // namespace vigil::gst

struct VigilClTransform {
  GstBaseTransform parent;
  vigil::gst::ClImpl *impl;
};
struct VigilClTransformClass {
  GstBaseTransformClass parent_class;
  // Called when the element starts, and when its frames move to another device; the device outlives what it returns. It is an
  // OpenCL one unless `backend` allows others.
  std::unique_ptr<vigil::gst::ClWork> (*make_work)(VigilClTransform *, vigil::Device &);
  // Of an element that has a CUDA backend, too: what its property says. Null: it has none.
  vigil::gst::ClChoice (*choice)(VigilClTransform *);
  gboolean passes_frames; // what comes out is what came in: upstream may use downstream's pools
};
GType vigil_cl_transform_get_type();
