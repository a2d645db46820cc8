// SPDX-License-Identifier: LGPL-2.1-or-later
#include "media.h"

#include "common/error.h"
#include "gst/video/formats.h"
#include "interrupt.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <filesystem>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

namespace vigil::train {

namespace fs = std::filesystem;

namespace {

GstElement *parse_filter(const std::string &filter) {
  GError *error = nullptr;
  // from system memory: a decoder on a GPU would leave frames where videocrop and others cannot work on them
  const std::string chain =
      "capsfilter caps=video/x-raw ! " + (filter.empty() ? "" : filter + " ! ") + "videoconvert";
  GstElement *bin = gst_parse_bin_from_description(chain.c_str(), TRUE, &error);
  if (!error) return bin;
  const gst::ErrorPtr owner(error);
  if (bin) gst_object_unref(gst_object_ref_sink(bin));
  fail(Error::Kind::bad_setting, "--filter ", filter, ": ", error->message);
}

// A decoded frame, or null at the end of the stream.
gst::SamplePtr next_sample(tools::Pipeline &pipeline, GstAppSink *sink) {
  constexpr GstClockTime step = 100 * GST_MSECOND;
  constexpr int patience = 600; // steps
  for (int i = 0; i < patience; i++) {
    stop_if_interrupted();
    if (gst::SamplePtr sample{gst_app_sink_try_pull_sample(sink, step)}) return sample;
    pipeline.work_off_messages();
    if (gst_app_sink_is_eos(sink)) return {};
  }
  fail(Error::Kind::device, "no frame came for a minute");
}

std::uint64_t decode_file(const std::string &path, const std::string &filter,
                          const std::function<bool(std::uint64_t, const ConstImage &)> &visit) {
  tools::Pipeline pipeline;
  GstElement *source = pipeline.add(tools::make_element("filesrc"));
  // y4mdec by itself: inside decodebin (GStreamer 1.28) some runs get no frame and never end.
  const bool plain = path.ends_with(".y4m");
  GstElement *decoder = pipeline.add(tools::make_element(plain ? "y4mdec" : "decodebin"));
  GstElement *chain = pipeline.add(parse_filter(filter));
  GstElement *sink = pipeline.add(tools::make_element("appsink"));
  g_object_set(source, "location", path.c_str(), nullptr);
  const gst::CapsPtr caps(
      gst_caps_from_string("video/x-raw, format={GRAY8, I420, NV12, RGBA, BGRA, RGBx, BGRx}"));
  g_object_set(sink, "caps", caps.get(), "sync", FALSE, "max-buffers", 4U, nullptr);
  tools::link({source, decoder});
  tools::link({chain, sink});
  if (plain)
    tools::link({decoder, chain});
  else
    tools::link_video(decoder, chain);
  pipeline.play();
  std::uint64_t count = 0;
  while (const gst::SamplePtr sample = next_sample(pipeline, GST_APP_SINK(sink))) {
    GstVideoInfo info;
    if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get())))
      fail(Error::Kind::bad_data, "the decoder gives no frames of a known kind");
    const tools::MappedFrame frame([&](GstVideoFrame &f) {
      gst::map_frame(f, info, gst_sample_get_buffer(sample.get()), GST_MAP_READ);
    });
    if (!visit(++count, gst::image_of(frame.get()))) return count;
  }
  pipeline.work_off_messages();
  if (count == 0) fail(Error::Kind::bad_data, "it has no video");
  return count;
}

} // namespace

std::uint64_t decode(const std::string &path, const std::string &filter,
                     const std::function<bool(std::uint64_t, const ConstImage &)> &visit) {
  if (!fs::is_regular_file(path)) fail(Error::Kind::io, "there is no file ", path);
  bool visiting = false; // an error comes from visit, not from GStreamer
  const auto watched = [&](std::uint64_t n, const ConstImage &frame) {
    visiting = true;
    const bool more = visit(n, frame);
    visiting = false;
    return more;
  };
  try {
    return decode_file(path, filter, watched);
  } catch (const Error &e) {
    using Kind = Error::Kind;
    const bool of_file = visiting ? e.kind() == Kind::bad_data
                                  : e.kind() != Kind::bad_setting && e.kind() != Kind::no_device &&
                                        e.kind() != Kind::no_memory;
    if (!of_file) throw;
    fail(Kind::bad_data, path, " cannot be read: ", e.what());
  }
}

} // namespace vigil::train
