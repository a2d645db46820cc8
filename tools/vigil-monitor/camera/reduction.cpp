// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reduction.h"

#include <algorithm>
#include <string>

namespace vigil::monitor {

int chain_lines(int asked, int lines) {
  constexpr int worth_while = 360;
  if (asked == detect_half) return lines >= worth_while ? lines / 2 : lines;
  return asked == detect_full ? lines : std::min(asked, lines);
}

int width_shown(const GstVideoInfo &video) {
  const guint64 width =
      gst_util_uint64_scale_round(guint64(video.width), guint64(video.par_n), guint64(video.par_d));
  return static_cast<int>(std::clamp<guint64>(width, 1, G_MAXINT));
}

GstCaps *reduced_caps(const GstVideoInfo &video, int lines) {
  const guint64 width =
      gst_util_uint64_scale_round(guint64(width_shown(video)), guint64(lines), guint64(video.height));
  return gst_caps_from_string(("video/x-raw(ANY),width=" + std::to_string(std::max<guint64>(width, 1)) +
                               ",height=" + std::to_string(lines) + ",pixel-aspect-ratio=1/1")
                                  .c_str());
}

void fit_settings(GstElement *cudamog, bool half, const ElementSettings &configured) {
  // A quarter of the pixels of a blob. The median's window stays: noise and rain are as many pixels wide in
  // the smaller picture, and a window of half the side lets them through.
  constexpr const char *property = "min-area";
  constexpr int at_half = 25;
  const auto own = configured.find("cudamog");
  if (own != configured.end() && own->second.count(property)) return;
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(cudamog), property);
  const int whole = G_PARAM_SPEC_INT(spec)->default_value;
  int now = 0;
  g_object_get(cudamog, property, &now, nullptr);
  if (now == (half ? whole : at_half)) g_object_set(cudamog, property, half ? at_half : whole, nullptr);
}

void fit_learning_time(GstElement *cudamog, const GstVideoInfo &video, const CameraConfig &config) {
  constexpr double usual_fps = 15; // of a camera that does not say
  const double fps = video.fps_n > 0 ? double(video.fps_n) / video.fps_d : usual_fps;
  if (config.analysed_fps() <= 0) return;
  if (const auto own = config.elements.find("cudamog"); own != config.elements.end())
    for (const char *property : {"preset", "history", "learning-rate", "learning-time"})
      if (own->second.count(property)) return;
  GParamSpec *history = g_object_class_find_property(G_OBJECT_GET_CLASS(cudamog), "history");
  const double seconds = config.analysed_fps() < fps ? G_PARAM_SPEC_INT(history)->default_value / fps : 0;
  g_object_set(cudamog, "learning-time", seconds, nullptr);
}

} // namespace vigil::monitor
