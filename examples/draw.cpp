// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws on live video: takes each frame and its mask into the program, tints what moves, draws the boxes, and
// gives the frame back to GStreamer, which encodes it into drawn.avi (or does what PIPELINE says).
//   draw [PIPELINE]   with cudamog "watch", appsinks "masks" (GRAY8) and "frames" (I420), and an appsrc
//                     "drawn"
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <cstring>
#include <stdexcept>

namespace {
// The last sink must not hold the pipeline in PAUSED until it has a frame: it gets none before the appsinks
// play.
constexpr const char *standard =
    "scenetestsrc num-buffers=150 quiet=1 ! video/x-raw,format=I420 ! tee name=t "
    "t. ! queue ! cudamog name=watch output=mask ! appsink name=masks max-buffers=4 sync=false "
    "t. ! queue ! appsink name=frames max-buffers=4 sync=false "
    "appsrc name=drawn format=time block=true max-buffers=4 ! videoconvert ! jpegenc ! avimux ! filesink "
    "location=drawn.avi async=false";

// A frame while the program looks at it. Rows may be padded: only the stride says where one begins.
struct Mapped {
  Mapped(GstBuffer *buffer, GstCaps *caps, GstMapFlags flags) {
    GstVideoInfo info;
    if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&frame_, &info, buffer, flags))
      throw std::runtime_error("a frame cannot be mapped");
  }
  ~Mapped() { gst_video_frame_unmap(&frame_); }
  Mapped(const Mapped &) = delete;
  const GstVideoInfo &info() const { return frame_.info; }
  guint8 &at(int component, int x, int y) {
    auto *data = static_cast<guint8 *>(GST_VIDEO_FRAME_COMP_DATA(&frame_, component));
    return data[y * GST_VIDEO_FRAME_COMP_STRIDE(&frame_, component) + x];
  }

  GstVideoFrame frame_;
};

void draw(Mapped &frame, Mapped &mask, GstBuffer *with_boxes) {
  for (int y = 0; y < mask.info().height; y++)
    for (int x = 0; x < mask.info().width; x++)
      if (mask.at(0, x, y) == 255) frame.at(2, x / 2, y / 2) = 220; // V: red
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered(with_boxes, &state,
                                                          GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto &box = *reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (box.roi_type != g_quark_from_static_string("motion")) continue;
    const int x0 = int(box.x), y0 = int(box.y), x1 = int(box.x + box.w) - 1, y1 = int(box.y + box.h) - 1;
    for (int x = x0; x <= x1; x++) frame.at(0, x, y0) = frame.at(0, x, y1) = 255;
    for (int y = y0; y <= y1; y++) frame.at(0, x0, y) = frame.at(0, x1, y) = 255;
  }
}

void work(GstBin *pipeline) {
  g_autoptr(GstElement) masks = gst_bin_get_by_name(pipeline, "masks");
  g_autoptr(GstElement) frames = gst_bin_get_by_name(pipeline, "frames");
  g_autoptr(GstElement) drawn = gst_bin_get_by_name(pipeline, "drawn");
  if (!masks || !frames || !drawn) throw std::runtime_error("the pipeline lacks masks, frames or drawn");
  g_autoptr(GstBus) bus = gst_element_get_bus(GST_ELEMENT(pipeline));
  g_autoptr(GstMessage) message = nullptr;
  const auto last = GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state(GST_ELEMENT(pipeline), GST_STATE_PLAYING);
  while (!message && !gst_app_sink_is_eos(GST_APP_SINK(masks))) { // a mask for each frame, in the same order
    g_autoptr(GstSample) mask = gst_app_sink_try_pull_sample(GST_APP_SINK(masks), GST_SECOND / 10);
    g_autoptr(GstSample) frame = mask ? gst_app_sink_pull_sample(GST_APP_SINK(frames)) : nullptr;
    message = gst_bus_pop_filtered(bus, last);
    if (!frame) continue;
    // The frame's memory is shared with the other branch of the tee: a copy is ours to draw in.
    GstBuffer *picture = gst_buffer_copy_deep(gst_sample_get_buffer(frame));
    {
      Mapped to(picture, gst_sample_get_caps(frame), GST_MAP_READWRITE);
      Mapped from(gst_sample_get_buffer(mask), gst_sample_get_caps(mask), GST_MAP_READ);
      draw(to, from, gst_sample_get_buffer(mask));
    }
    gst_app_src_set_caps(GST_APP_SRC(drawn), gst_sample_get_caps(frame));
    gst_app_src_push_buffer(GST_APP_SRC(drawn), picture); // takes the picture
  }
  gst_app_src_end_of_stream(GST_APP_SRC(drawn));
  if (!message) message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, last);
  gst_element_set_state(GST_ELEMENT(pipeline), GST_STATE_NULL);
  g_autoptr(GError) error = nullptr;
  if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    gst_message_parse_error(message, &error, nullptr);
  if (!message || error) throw std::runtime_error(error ? error->message : "the pipeline does not end");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc > 2 || (argc > 1 && !std::strchr(argv[1], '!'))) { // a file's name, most likely
    g_printerr("usage: draw [PIPELINE]\nPIPELINE is one argument, a description as for gst-launch-1.0; '%s' "
               "is none. To draw on "
               "a video, begin it with filesrc location=VIDEO ! decodebin ! videoconvert\n",
               argv[1]);
    return 2;
  }
  g_autoptr(GError) error = nullptr;
  g_autoptr(GstElement) pipeline = gst_parse_launch(argc > 1 ? argv[1] : standard, &error);
  try {
    if (error) throw std::runtime_error(error->message);
    work(GST_BIN(pipeline));
  } catch (const std::exception &e) {
    g_printerr("%s\n", e.what());
    return 1;
  }
}
