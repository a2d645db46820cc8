// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_picture.h"

#include "../detector/crop.h"
#include "common/error.h"
#include "common/file.h"
#include "kernels/fisher/motion.h"
#include "tools/base/pipeline.h"

#include <filesystem>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

namespace vigil::monitor {
namespace {

using Sample = std::unique_ptr<GstSample, void (*)(GstSample *)>;

Sample decoded(const std::vector<std::uint8_t> &jpeg) {
  const tools::Pipeline pipeline;
  GstElement *in = pipeline.add(tools::make_element("appsrc")),
             *decode = pipeline.add(tools::make_element("jpegdec")),
             *out = pipeline.add(tools::make_element("appsink"));
  tools::link({in, decode, out});
  const std::unique_ptr<GstCaps, decltype(&gst_caps_unref)> caps(gst_caps_new_empty_simple("image/jpeg"),
                                                                 gst_caps_unref);
  g_object_set(in, "caps", caps.get(), nullptr);
  g_object_set(out, "sync", FALSE, nullptr);
  gst_element_set_state(pipeline.element(), GST_STATE_PLAYING);
  gst_app_src_push_buffer(GST_APP_SRC(in), gst_buffer_new_memdup(jpeg.data(), jpeg.size()));
  gst_app_src_end_of_stream(GST_APP_SRC(in));
  constexpr GstClockTime patience = 10 * GST_SECOND;
  return {gst_app_sink_try_pull_sample(GST_APP_SINK(out), patience), [](GstSample *s) {
            if (s) gst_sample_unref(s);
          }};
}

} // namespace

label::Picture picture_in(const std::string &file, const Rect &box) {
  static constexpr std::size_t largest = std::size_t{4} << 20;
  constexpr int side = static_cast<int>(label::picture_side);
  label::Picture out;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return out;
  try {
    const Sample sample =
        decoded(read_plain_file(file, "the picture of an event", 0, [](auto) { return largest; }));
    GstVideoInfo info;
    if (!sample || !gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get()))) return out;
    const auto crop = cut_out(gst_sample_get_buffer(sample.get()), info, box, side, side);
    if (!crop) return out;
    for (std::size_t i = 0; i + 2 < crop->rgb.size(); i += 3)
      out.push_back(fisher::motion_luma(crop->rgb[i], crop->rgb[i + 1], crop->rgb[i + 2]));
  } catch (const Error &) {
    out.clear(); // it was deleted meanwhile, or is damaged: nothing is learnt from it
  }
  return out;
}

} // namespace vigil::monitor
