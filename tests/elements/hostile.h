// SPDX-License-Identifier: LGPL-2.1-or-later
// What the suites of hostile neighbours share: all elements that frames go through, and what shows that one
// still works.
#pragma once

#include "kernels/fisher/model_file.h"
#include "tests/elements/fixture.h"
#include "tests/elements/random_model.h"
#include "vigil-config.h"

#include <functional>
#include <string>
#include <vector>

namespace vigil::test {

inline constexpr int width = 96, height = 72;
inline constexpr const char *format = "RGBA"; // which all of them take

// Descriptions of all elements that frames go through; `model` is a file for gpufisher. ThreadSanitizer does
// not see into drivers of OpenGL and OpenCL, so it gets the others.
inline std::vector<std::string> elements(const Folder &folder) {
  const std::string model = folder / "model";
  fisher::write_model(model, random_model(7, {"run"}));
  std::vector<std::string> all;
  for (const char *depth : {"0", "2"}) {
    const std::string flow = std::string(" async-depth=") + depth;
    all.push_back("cudamog backend=cpu" + flow);
    all.push_back("cudamog backend=cpu output=passthrough" + flow);
    all.push_back("cudamog backend=cpu output=overlay group-size=2" + flow);
    all.push_back("gpufisher backend=cpu model-location=" + model + flow);
#if defined(VIGIL_HAVE_OPENCL) && !defined(__SANITIZE_THREAD__)
    all.push_back("clfilter tune=off" + flow);
    all.push_back("clfilter tune=off chain=\"gaussian sigma=1 ! invert\"" + flow);
    all.push_back("clhistogram" + flow);
    all.push_back("clhistogram overlay=true" + flow);
    all.push_back("clbilateral tune=off backend=opencl" + flow);
#endif
  }
  all.emplace_back("glcolinearseg backend=cpu background-frames=2");
#if defined(VIGIL_HAVE_GL) && !defined(__SANITIZE_THREAD__)
  all.emplace_back("glcolinearseg backend=opengl background-frames=2");
  all.emplace_back("glcolinearseg backend=opengl background-frames=2 output=passthrough");
#endif
  all.emplace_back("boxtrack");
  all.emplace_back("tracklabel");
  all.emplace_back("boxrules");
  all.emplace_back("boxrules draw=true");
  return all;
}

// fn(element) for each of them, with caps.
inline void on_every(const std::function<void(Harness &)> &fn, bool with_caps = true) {
  const Folder folder;
  for (const std::string &description : elements(folder)) {
    GST_DEBUG("%s", description.c_str());
    if (g_getenv("VIGIL_TEST_VERBOSE")) g_printerr("  %s\n", description.c_str());
    Harness e(description);
    if (with_caps) e.caps(caps_of(format, width, height));
    fn(e);
  }
}

inline std::string name_of(Harness &e) {
  return GST_OBJECT_NAME(e.get());
}

inline void drop_output(Harness &e) {
  while (GstBuffer *b = e.pull()) gst_buffer_unref(b);
}
inline void forget_messages(Harness &e) {
  while (GstMessage *m = e.message(GST_MESSAGE_ANY)) gst_message_unref(m);
}

// A good frame goes through, at the latest when the element lets go of what it holds.
inline void still_works(Harness &e, int number = 100) {
  drop_output(e);
  forget_messages(e);
  for (int i = 0; i < 3; i++) {
    const GstFlowReturn flow = e.push(scene(format, width, height, number + i), number + i);
    fail_unless(flow == GST_FLOW_OK, "%s: a good frame: %s", name_of(e).c_str(), gst_flow_get_name(flow));
  }
  GstQuery *drain = gst_query_new_drain();
  gst_pad_peer_query(e.harness()->srcpad, drain);
  gst_query_unref(drain);
  int frames = 0;
  for (; GstBuffer *b = e.pull(); frames++) gst_buffer_unref(b);
  fail_unless(frames >= 3, "%s: %d of 3 good frames came out", name_of(e).c_str(), frames);
  e.no_error();
}

// Elements that work on metadata take frames of any kind, with caps or without.
inline bool takes_anything(Harness &e) {
  const std::string name = name_of(e);
  return name.starts_with("box") || name.starts_with("tracklabel");
}
// An element that passes frames on without a look at them judges none.
inline bool looks(Harness &e) {
  gchar *chain = nullptr;
  if (takes_anything(e)) return false;
  if (!g_str_has_prefix(name_of(e).c_str(), "clfilter")) return true;
  g_object_get(e.get(), "chain", &chain, nullptr);
  const bool empty = !chain || !*chain;
  g_free(chain);
  return !empty;
}

// Whether the element takes caps. gst_pad_push_event() would not tell: it keeps them for later.
inline bool takes_caps(Harness &e, const std::string &words) {
  GstCaps *caps = gst_caps_from_string(words.c_str());
  GstPad *sink = gst_element_get_static_pad(e.get(), "sink");
  const bool taken = gst_pad_send_event(sink, gst_event_new_caps(caps));
  gst_object_unref(sink);
  gst_caps_unref(caps);
  return taken;
}
inline void push_event(Harness &e, GstEvent *event) {
  gst_pad_push_event(e.harness()->srcpad, event);
}
inline GstEvent *time_segment() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  return gst_event_new_segment(&segment);
}

inline void begin_stream(Harness &e) {
  push_event(e, gst_event_new_stream_start("again"));
  e.caps(caps_of(format, width, height));
  push_event(e, time_segment());
}

} // namespace vigil::test
