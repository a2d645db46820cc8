// SPDX-License-Identifier: LGPL-2.1-or-later
// A GStreamer pipeline with an owner: it goes to NULL whatever happens, and what its bus reports becomes an
// exception.
#pragma once

#include "gst/video/gst_ptr.h"

#include <functional>
#include <initializer_list>
#include <string>

namespace vigil::tools {

// Whether the element is installed.
bool has_element(const char *factory);

// A new element with a floating reference. Throws Error::no_device, naming the factory, when it is not
// installed.
GstElement *make_element(const char *factory, const char *name = nullptr);

// gst_element_link for several; throws Error::bad_setting with both names and both pads' caps.
void link(std::initializer_list<GstElement *> elements);

// Links the video of a decodebin or uridecodebin (video_track.h) to `next`; its other pads stay open. When it
// has none, the decoder posts an error that says so.
void link_video(GstElement *decoder, GstElement *next);

// Has the payloader of H.264 or H.265 behind `source` send the parameter sets in front of the next picture.
// By itself (config-interval=-1) it does so in front of IDR pictures alone, and not of others (CRA) that a
// decoder can begin with.
void send_parameter_sets(GstElement *source);

class Pipeline {
 public:
  Pipeline();
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstBin *bin() const { return GST_BIN(pipeline_.get()); }
  GstElement *element() const { return pipeline_.get(); }
  // Adds an element, which the pipeline then owns, and returns it.
  GstElement *add(GstElement *) const;

  void play();
  // Ends the input: the sources send end-of-stream behind the frames that they have pushed. Returns at once;
  // another thread does it.
  void end();
  // Works off what the bus holds, after waiting up to `wait` for the first message. Warnings go to stderr,
  // each text once a program, whichever thread has it first; element messages to `on_element_message`. An
  // error is thrown as Error::device with the element's name, the text and the details.
  void work_off_messages(GstClockTime wait = 0);
  bool ended() const { return ended_; } // all sinks had the end of stream, as far as messages were worked off
  std::function<void(GstMessage *)> on_element_message;

 private:
  void handle(GstMessage *);
  gst::ObjectPtr<GstElement> pipeline_;
  gst::ObjectPtr<GstBus> bus_;
  bool ended_ = false;
};

} // namespace vigil::tools
