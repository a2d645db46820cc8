// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage is one step of what cudamog does with a frame: one rule, one class, one file in stages/. The list
// of all stages is in stage_list.cpp. Knows no GStreamer.
//
// A frame goes through the list twice:
//   submit()  submits work to the device and never waits for it (what has to wait is in prepare(), before it)
//   finish()  the device is done: decides on the host, in the order of the frames
// Between the two, later frames may be submitted. Stages hand results to each other in FrameContext. Whatever
// a finished frame is to change for later ones goes through Feedback and in no other way.
#pragma once

#include "common/device.h"
#include "gst/cudamog/feedback.h"
#include "gst/cudamog/frame_context.h"
#include "kernels/cell_grid/cell_grid.h"
#include "kernels/exposure/exposure.h"

#include <cstddef>
#include <memory>
#include <span>

namespace vigil::gst::cudamog {

// What the frames are.
struct Format {
  PixelFormat pixels = PixelFormat::gray8;
  cell_grid::Grid grid; // width and height in it are the frames'
  bool v_first = false, full_range = false;
  double frame_seconds = 0; // by the caps' frame rate; 0: they do not say
  exposure::Colours colours;
  compose::Style style; // of pictures that are drawn
};

// Frames that are submitted together, in their order and with the same settings; at least one.
struct FrameGroup {
  std::span<FrameContext *const> frames;
  bool recalled = false;           // the model took up a light or a view that was known
  bool new_view = false;           // the camera looks at a place of which nothing is known
  Restart restart = Restart::none; // set by a stage: all stages are to start over before the next one goes on

  const Settings &settings() const { return frames.front()->settings; }
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual const char *name() const = 0; // in stats
  // Whether frames of these settings go through this stage. Those that do not are neither submitted to it nor
  // finished by it.
  virtual bool is_on(const Settings &) const { return true; }

  // Frames of this format come from now on; none is under way.
  virtual void set_format(const Format &) {}
  // What the stage keeps with each frame, after set_format(); null: nothing.
  virtual std::unique_ptr<StageData> make_data() { return nullptr; }
  // Called with the first frames of a format or of other settings, whether the stage is on or not. May wait
  // for the queue and may throw. Returns what has to start over.
  virtual Restart configure(const Settings &, Queue &) { return Restart::none; }

  // Before submit() of all stages: what has to wait for the queue.
  virtual void prepare(FrameGroup &, const Feedback &, Queue &) {}
  // submit(), fetch() and pass_by() are called where kernels may be called (common/on_device_thread.h), the
  // other functions anywhere.
  virtual void submit(FrameGroup &, const Feedback &, Queue &) {}
  // Submits the copies of results to the host.
  virtual void fetch(FrameContext &, Queue &) {}
  virtual void finish(FrameContext &, Feedback &, Queue &) {}
  // Instead of all of these, for a frame that is corrupted: it says nothing about the scene. Nothing is
  // learnt from it and nothing found in it; what comes out is the picture of a frame without foreground.
  virtual void pass_by(FrameContext &, Queue &) {}
  // Instead of finish(), for the first frame that comes without this stage after one that came with it.
  virtual void turned_off(FrameContext &, Feedback &) {}
  // What was found before holds no longer.
  virtual void start_over(Restart) {}

  // Where its data is in FrameContext::data; set by the list.
  std::size_t index = 0;

 protected:
  template <class Data>
  Data &data_of(FrameContext &f) const {
    return static_cast<Data &>(*f.data[index]);
  }
};

} // namespace vigil::gst::cudamog
