// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element does with frames on a device. All else (caps, pools, contexts, the frames that are held,
// events, queries) is the transform's. The way of a frame through the work:
//
//   plan()      says what is to be done with the frame, by the settings of this moment
//   run()       submits the work for one frame, or for a group of frames
//   fetch()     submits the copies of results to the host
//   complete()  the results are on the host: reads them, and may still draw into the picture
//   publish()   the frame goes on: metadata, messages
//   pass_by()   instead of these four where the frame is corrupted
//
// plan(), run(), fetch(), complete() and pass_by() are called under the transform's work lock, one at a time
// and by the streaming thread, in the order of the frames. publish() is called without a lock, so that
// messages may be posted. An exception becomes an error message of the element.
#pragma once

#include "common/device.h"
#include "common/plane.h"
#include "gst/memory/frame_mapping.h"
#include "gst/metadata/results.h"
#include "gst/video/gst_ptr.h"

#include <cstdint>
#include <memory>
#include <span>

namespace vigil::gst {

enum class Use {
  none,    // the frame passes by
  inspect, // it is read, and goes on as it is
  modify,  // it is read and changed in its own memory
  produce, // another picture is made from it, which goes on in its place
};

class FrameProcessor {
 public:
  // What belongs to one frame besides its pictures, from plan() to publish(). Made once for each frame that
  // may be held, then used again and again.
  struct PerFrameData {
    virtual ~PerFrameData() = default;
  };
  // What the work knows (a model, a model that waits to be loaded) and what goes along to another device.
  struct PortableState {
    virtual ~PortableState() = default;
  };
  struct Plan {
    Use use = Use::none;
    int group = 1;      // run() gets this many frames at once
    bool apart = false; // frames that wait for their group are run without this one
  };
  struct FrameTask {
    FrameTime time;
    Plan plan;
    ConstImage in;
    Image out; // the picture to make; for Use::modify the frame itself; else empty
    GstBuffer *in_texture = nullptr,
              *out_texture = nullptr; // in OpenGL, where these pictures have no addresses
    Area changed;                     // for Use::modify: the part that run() changed
    bool late = false;                // set by run(): complete() draws into `out`, so it is sent after that
    PerFrameData *result = nullptr;
  };

  virtual ~FrameProcessor() = default;
  // Frames of these kinds come and go from now on; none is held. The work keeps what it knows where that
  // still fits.
  virtual void set_format(const FrameKind &in, const FrameKind &out) = 0;
  virtual std::unique_ptr<PerFrameData> make_frame_data() { return nullptr; }

  // A frame that `passes_by` gets its plan, too, and is then pass_by()'s.
  virtual Plan plan(const FrameTime &, PerFrameData *) = 0;
  virtual void run(std::span<FrameTask *const>, Queue &) = 0;
  virtual void fetch(FrameTask &, Queue &) {}
  virtual void complete(FrameTask &, Queue &) {}
  // Whether complete() may be called for a frame while older ones are still held. Pictures that are drawn
  // late are then sent earlier.
  virtual bool completes_ahead() const { return false; }
  virtual void publish(BufferPtr &, const FrameTask &) {}
  // Instead of these four, for a corrupted frame: nothing is learnt and nothing found. With Use::produce,
  // draws the picture of a frame in which nothing was found.
  virtual void pass_by(FrameTask &, Queue &) {}

  // All frames that were held have been dropped.
  virtual void flushed() {}
  // What goes along to another device, and its arrival there, before set_format(). export_state() may read
  // memory of the device.
  virtual std::unique_ptr<PortableState> export_state() { return nullptr; }
  virtual void import_state(std::unique_ptr<PortableState>) {}
  virtual std::uint64_t result_bytes() const { return 0; } // read back or sent besides pictures
};

} // namespace vigil::gst
