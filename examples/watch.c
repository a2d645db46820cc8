// SPDX-License-Identifier: LGPL-2.1-or-later
// Embeds cudamog in C, without a main loop: takes masks and frames into the program, reads the boxes, draws
// the busiest frame, hears the events, and changes a property while it plays.
//   watch_c [PICTURE.pgm [PIPELINE]]   a description of cudamog "watch" and appsinks "masks" and "frames",
//                                      both GRAY8
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <stdio.h>

static const char *standard =
    "scenetestsrc num-buffers=300 ! tee name=t "
    "t. ! queue ! cudamog name=watch output=mask ! appsink name=masks max-buffers=4 sync=false "
    "t. ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=frames max-buffers=4 sync=false";

// Prints what the bus has; FALSE after an error.
static gboolean hear(GstBus *bus, GstElement *watch) {
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR))) {
    const GstStructure *s = gst_message_get_structure(message);
    const gboolean failed = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
    g_autoptr(GError) error = NULL;
    guint64 time = 0;
    if (failed) {
      gst_message_parse_error(message, &error, NULL);
      g_printerr("%s\n", error->message);
    } else if (gst_structure_get_uint64(s, "running-time", &time)) {
      g_print("%s at %.2f s\n", gst_structure_get_name(s), (double)time / GST_SECOND);
      // During motion the model learns nothing under foreground; afterwards at the default rate.
      if (gst_structure_has_name(s, "motion-begin")) g_object_set(watch, "foreground-rate", 0.0f, NULL);
      if (gst_structure_has_name(s, "motion-end")) g_object_set(watch, "foreground-rate", 0.02f, NULL);
    }
    gst_message_unref(message);
    if (failed) return FALSE;
  }
  return TRUE;
}

// Counts the mask's foreground pixels (255; a shadow is 127). Where they are more than ever, writes the
// frame: what is not foreground at half its brightness, the boxes in white.
static void look(GstSample *mask, GstSample *frame, const char *path, guint *most) {
  GstVideoInfo info;
  GstMapInfo m, f;
  gst_video_info_from_caps(&info, gst_sample_get_caps(frame));
  gst_buffer_map(gst_sample_get_buffer(mask), &m, GST_MAP_READ);
  gst_buffer_map(gst_sample_get_buffer(frame), &f, GST_MAP_READ);
  const guint stride = (guint)info.stride[0], size = MIN(m.size, f.size);
  g_autofree guint8 *picture = g_malloc(size);
  guint count = 0;
  for (guint i = 0; i < size; i++) {
    count += m.data[i] == 255;
    picture[i] = m.data[i] == 255 ? f.data[i] : f.data[i] / 2;
  }
  gst_buffer_unmap(gst_sample_get_buffer(frame), &f);
  gst_buffer_unmap(gst_sample_get_buffer(mask), &m);
  if (count <= *most) return;
  *most = count;
  gpointer state = NULL;
  GstMeta *meta;
  while ((meta = gst_buffer_iterate_meta_filtered(gst_sample_get_buffer(mask), &state,
                                                  GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *b = (const GstVideoRegionOfInterestMeta *)meta;
    for (guint x = b->x; x < b->x + b->w; x++)
      picture[b->y * stride + x] = picture[(b->y + b->h - 1) * stride + x] = 255;
    for (guint y = b->y; y < b->y + b->h; y++)
      picture[y * stride + b->x] = picture[y * stride + b->x + b->w - 1] = 255;
  }
  FILE *file = fopen(path, "wb");
  if (file) fprintf(file, "P5 %d %d 255\n", info.width, info.height);
  for (guint y = 0; file && y < size / stride; y++) fwrite(picture + y * stride, 1, (size_t)info.width, file);
  if (!file || fclose(file)) g_printerr("cannot write %s\n", path);
}

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  // The picture is written: a video that was given in its place must not be lost.
  if (argc > 3 || (argc > 1 && !g_str_has_suffix(argv[1], ".pgm")))
    return g_printerr("usage: watch_c [PICTURE.pgm [PIPELINE]]\n"
                      "PICTURE.pgm is written; its name must end in .pgm%s%s%s. To watch a video, name it in "
                      "PIPELINE\n",
                      argc > 1 ? ", unlike '" : "", argc > 1 ? argv[1] : "", argc > 1 ? "'" : ""),
           2;
  g_autoptr(GError) error = NULL;
  g_autoptr(GstElement) pipeline = gst_parse_launch(argc > 2 ? argv[2] : standard, &error);
  if (error) return g_printerr("%s\n", error->message), 1;
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstElement) watch = gst_bin_get_by_name(GST_BIN(pipeline), "watch");
  g_autoptr(GstElement) masks = gst_bin_get_by_name(GST_BIN(pipeline), "masks");
  g_autoptr(GstElement) frames = gst_bin_get_by_name(GST_BIN(pipeline), "frames");
  if (!watch || !masks || !frames) return g_printerr("the pipeline lacks watch, masks or frames\n"), 1;

  guint most = 0;
  gboolean good = TRUE;
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while (good && !gst_app_sink_is_eos(GST_APP_SINK(masks))) { // a mask for each frame, in the same order
    g_autoptr(GstSample) mask = gst_app_sink_try_pull_sample(GST_APP_SINK(masks), GST_SECOND / 10);
    g_autoptr(GstSample) frame = mask ? gst_app_sink_pull_sample(GST_APP_SINK(frames)) : NULL;
    if (frame) look(mask, frame, argc > 1 ? argv[1] : "watch.pgm", &most);
    good = hear(bus, watch);
  }
  good = good && hear(bus, watch);
  g_print("%u pixels moved at the busiest\n", most);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return good ? 0 : 1;
}
