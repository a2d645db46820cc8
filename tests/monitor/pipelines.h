// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelines of a test's own.
#pragma once

#include "gst/video/gst_ptr.h"

#include <cstdio>
#include <cstdlib>
#include <gst/app/gstappsink.h>
#include <string>
#include <vector>

namespace vigil::test {

// Ends the program when it cannot be made.
inline gst::ObjectPtr<GstElement> launch(const std::string &text) {
  GError *e = nullptr;
  gst::ObjectPtr<GstElement> made(gst_parse_launch(text.c_str(), &e));
  const gst::ErrorPtr error(e);
  if (error || !made) {
    std::fprintf(stderr, "%s: %s\n", text.c_str(), error ? error->message : "cannot be made");
    std::exit(1);
  }
  gst_object_ref_sink(made.get());
  return made;
}

struct Stream {
  gst::CapsPtr caps; // of the first frame
  std::vector<gst::BufferPtr> frames;
};
// All that comes out of a pipeline without its sink; empty where it cannot be made.
inline Stream samples_of(const std::string &description) {
  Stream out;
  GError *error = nullptr;
  const gst::ObjectPtr<GstElement> pipeline(
      gst_parse_launch((description + " ! appsink name=out sync=false").c_str(), &error));
  const gst::ErrorPtr owner(error);
  if (!pipeline || error) return out;
  const gst::ObjectPtr<GstElement> sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  while (const gst::SamplePtr s{gst_app_sink_pull_sample(GST_APP_SINK(sink.get()))}) {
    if (!out.caps) out.caps.reset(gst_caps_ref(gst_sample_get_caps(s.get())));
    out.frames.emplace_back(gst_buffer_ref(gst_sample_get_buffer(s.get())));
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return out;
}

} // namespace vigil::test
