// SPDX-License-Identifier: LGPL-2.1-or-later
// Embeds cudamog: prints motion events, reads the boxes of each frame, and changes a property while playing.
//   motion_events [PIPELINE]     a description that contains an element named "watch"
#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdio>
#include <cstring>

static GstPadProbeReturn on_frame(GstPad *, GstPadProbeInfo *info, gpointer most) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  gpointer state = nullptr;
  guint boxes = 0;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (roi->roi_type == g_quark_from_static_string("motion")) boxes++;
  }
  if (auto &record = *static_cast<guint *>(most); boxes > record) {
    record = boxes;
    g_print("%u moving objects at once\n", boxes);
  }
  return GST_PAD_PROBE_OK;
}

static gboolean on_message(GstBus *, GstMessage *message, gpointer loop) {
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ELEMENT: {
    const GstStructure *s = gst_message_get_structure(message);
    guint64 time = 0;
    gdouble fraction = 0;
    gst_structure_get(s, "running-time", G_TYPE_UINT64, &time, "changed-fraction", G_TYPE_DOUBLE, &fraction,
                      nullptr);
    g_print("%s at %.2f s, %.1f %% of the picture\n", gst_structure_get_name(s), double(time) / GST_SECOND,
            100 * fraction);
    // A property that changes while the pipeline plays: during motion the model learns nothing under
    // foreground, so that a person who stands still is not absorbed, however long the motion lasts.
    if (gst_structure_has_name(s, "motion-begin"))
      g_object_set(GST_MESSAGE_SRC(message), "foreground-rate", 0.0f, nullptr);
    if (gst_structure_has_name(s, "motion-end"))
      g_object_set(GST_MESSAGE_SRC(message), "foreground-rate", 0.02f, nullptr); // the default
    break;
  }
  case GST_MESSAGE_ERROR: {
    g_autoptr(GError) error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    g_printerr("%s\n", error->message);
    g_main_loop_quit(static_cast<GMainLoop *>(loop));
    break;
  }
  case GST_MESSAGE_EOS:
    g_main_loop_quit(static_cast<GMainLoop *>(loop));
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc > 2 || (argc > 1 && !std::strchr(argv[1], '!'))) { // a file's name, most likely
    g_printerr("usage: motion_events [PIPELINE]\nPIPELINE is one argument, a description as for "
               "gst-launch-1.0; '%s' is none. To "
               "watch a video:\n  motion_events 'filesrc location=VIDEO ! decodebin ! videoconvert ! cudamog "
               "name=watch "
               "output=passthrough ! fakesink'\n",
               argv[1]);
    return 2;
  }
  const char *description =
      argc > 1 ? argv[1] : "scenetestsrc num-buffers=300 ! cudamog name=watch output=passthrough ! fakesink";
  g_autoptr(GError) error = nullptr;
  g_autoptr(GstElement) pipeline = gst_parse_launch(description, &error);
  g_autoptr(GstElement) watch =
      pipeline && GST_IS_BIN(pipeline) ? gst_bin_get_by_name(GST_BIN(pipeline), "watch") : nullptr;
  if (error || !watch) {
    g_printerr("%s\n", error ? error->message : "no element is named \"watch\"");
    return 1;
  }
  guint most = 0;
  g_autoptr(GstPad) pad = gst_element_get_static_pad(watch, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &most, nullptr);
  g_autoptr(GMainLoop) loop = g_main_loop_new(nullptr, FALSE);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_bus_add_watch(bus, on_message, loop);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_main_loop_run(loop);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_bus_remove_watch(bus);
  return 0;
}
