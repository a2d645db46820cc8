// SPDX-License-Identifier: LGPL-2.1-or-later
#include "h264_encoder.h"

#include "gst/video/gst_ptr.h"

#include <string>

namespace vigil::monitor {
namespace {

bool encodes_here(const char *factory) {
  const gst::ObjectPtr<GstElementFactory> known(gst_element_factory_find(factory));
  if (!known) return false;
  const std::string line = std::string("videotestsrc num-buffers=2 ! "
                                       "video/x-raw,format=NV12,width=320,height=240,framerate=15/1 ! ") +
                           factory + " ! h264parse ! fakesink name=sink";
  GstElement *made = gst_parse_launch(line.c_str(), nullptr);
  if (!made) return false;
  gst_object_ref_sink(made);
  const gst::ObjectPtr<GstElement> pipeline(made);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(made));
  gst_element_set_state(made, GST_STATE_PLAYING);
  constexpr GstClockTime longest = 5 * GST_SECOND;
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), longest, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  // An encoder may say its error to nobody, and give nothing.
  const gst::ObjectPtr<GstElement> sink(gst_bin_get_by_name(GST_BIN(made), "sink"));
  GstSample *last = nullptr;
  g_object_get(sink.get(), "last-sample", &last, nullptr);
  const gst::SamplePtr encoded(last);
  gst_element_set_state(made, GST_STATE_NULL);
  return end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS && encoded;
}

bool has_property(GstElement *e, const char *name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(e), name) != nullptr;
}

} // namespace

const char *h264_encoder() {
  static const char *const found = []() -> const char * {
    for (const char *factory : {"nvh264enc", "vah264enc", "v4l2h264enc", "x264enc", "openh264enc"})
      if (encodes_here(factory)) return factory;
    return nullptr;
  }();
  return found;
}

void set_up_h264_encoder(GstElement *e, bool by_quality) {
  constexpr const char *key_frames = "30", *quality = "23";
  for (const char *name : {"key-int-max", "gop-size"})
    if (has_property(e, name)) gst_util_set_object_arg(G_OBJECT(e), name, key_frames);
  if (!has_property(e, "speed-preset")) return; // what follows is x264enc's
  g_object_set(e, "threads", 1u, nullptr);
  gst_util_set_object_arg(G_OBJECT(e), "speed-preset", "ultrafast");
  gst_util_set_object_arg(G_OBJECT(e), "tune", "zerolatency");
  if (!by_quality) return g_object_set(e, "bitrate", 2000u, nullptr);
  gst_util_set_object_arg(G_OBJECT(e), "pass", "qual");
  gst_util_set_object_arg(G_OBJECT(e), "quantizer", quality);
}

} // namespace vigil::monitor
