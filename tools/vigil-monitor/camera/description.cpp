// SPDX-License-Identifier: LGPL-2.1-or-later
#include "description.h"

#include "../config/overrides.h"
#include "../config/secrets.h"
#include "../config/text.h"
#include "../printable.h"
#include "h264_encoder.h"
#include "tiles.h"

#include <algorithm>
#include <cmath>

namespace vigil::monitor {
namespace {

template <class Shapes>
nlohmann::json shapes(const Shapes &map) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto &[name, shape] : map) out[name] = to_json(shape);
  return out;
}

nlohmann::json live(const CameraConfig &config, const CameraPipeline *pipeline) {
  const int h = pipeline ? pipeline->height() : 0;
  if (!h) return {{"width", 0}, {"height", config.live_height}, {"fps", config.live_fps}};
  const int shown = std::min(config.live_height, h);
  const double width = static_cast<double>(pipeline->shown_width()) * shown / h;
  return {{"width", static_cast<int>(std::lround(width))}, {"height", shown}, {"fps", config.live_fps}};
}

nlohmann::json element_times(const CameraPipeline *pipeline) {
  nlohmann::json times = nlohmann::json::object();
  if (!pipeline) return times;
  for (GstElement *e : pipeline->elements()) {
    GstStructure *s = nullptr;
    double us = 0;
    if (!g_object_class_find_property(G_OBJECT_GET_CLASS(e), "stats")) continue;
    g_object_get(e, "stats", &s, nullptr);
    if (s && gst_structure_get_double(s, "kernel-time-us", &us)) times[GST_OBJECT_NAME(e)] = us;
    if (s) gst_structure_free(s);
  }
  return times;
}

nlohmann::json covered(const CameraConfig &config) {
  if (!config.privacy.asked()) return nullptr;
  const char *encoder = h264_encoder();
  return {{"fill", name_of(config.privacy.fill)},
          {"silhouettes", config.privacy.silhouettes},
          {"uncovered_for", config.privacy.uncovered_for},
          {"encoder", encoder ? nlohmann::json(encoder) : nlohmann::json()}};
}

nlohmann::json views(const CameraConfig &config) {
  nlohmann::json out = nlohmann::json::array();
  for (const std::string_view view : view_names)
    if (config.shows(view) && view != "uncovered") out.push_back(view); // that one is not for everybody
  return out;
}

bool names_by_shape(const CameraPipeline *pipeline) {
  GstElement *e = pipeline ? pipeline->element("tracklabel") : nullptr;
  gboolean by_shape = FALSE;
  if (e) g_object_get(e, "shape-rule", &by_shape, nullptr);
  return by_shape;
}

} // namespace

nlohmann::json CameraDescription::camera(const std::vector<std::string> &overridden) const {
  const CameraPipeline *pipeline = connection.pipeline();
  const Recorder *recorder = stored.recorder().get();
  const auto codec = recorder && config.record.enabled ? recorder->codec() : std::nullopt;
  const auto sound = recorder ? recorder->sound_codec() : std::nullopt;
  const auto &reason = state.reason();
  const std::string no_talk = talk_back.why_not();
  return {{"name", config.name},
          {"title", config.shown_name()},
          {"state", state.name()},
          {"reason", reason ? nlohmann::json(printable(mask_credentials(*reason))) : nlohmann::json()},
          {"since", state.since()},
          {"source", shown_source(config.source)},
          {"record_stream", config.records_apart() ? record.describe() : nlohmann::json()},
          {"width", pipeline ? pipeline->width() : 0},
          {"height", pipeline ? pipeline->height() : 0},
          {"fps", feed.activity.mean_fps().value_or(0)},
          {"live", live(config, pipeline)},
          {"motion", feed.moving.load()},
          {"trouble", causes.trouble()},
          {"recording", stored.writes_clips()},
          {"record_enabled", config.record.enabled},
          {"motion_enabled", config.motion},
          {"analysed", config.analysed},
          {"codec", codec ? nlohmann::json(*codec) : nlohmann::json()},
          {"sound", sound ? nlohmann::json(*sound) : nlohmann::json()},
          {"reconnects", connection.reconnects()},
          {"views", views(config)},
          {"zones", shapes(config.zones)},
          {"lines", shapes(config.lines)},
          {"masks", shapes(config.masks)},
          {"unmasked", shapes(config.unmasked)},
          {"privacy", shapes(config.privacy.polygons)},
          {"covered", covered(config)},
          {"counts", causes.counts(pipeline && pipeline->element("boxrules"))},
          {"classes", causes.classes()},
          {"labels", causes.labels(names_by_shape(pipeline))},
          {"ptz", onvif.describe_ptz()},
          {"talk", talk_back.possible()},
          {"talk_reason", no_talk.empty() ? nlohmann::json() : nlohmann::json(no_talk)},
          {"spoken_to", talk_back.spoken_to()},
          {"device_events", onvif.describe_events()},
          {"overridden", overridden},
          {"added", config.added}};
}

nlohmann::json CameraDescription::stats() const {
  const CameraPipeline *pipeline = connection.pipeline();
  const Recorder *recorder = stored.recorder().get();
  return {
      {"name", config.name},
      {"fps", feed.activity.mean_fps().value_or(0)},
      {"frames", connection.frames()},
      {"analysed", config.analysed},
      {"decoded", connection.decoded() + record.decoded() + stored.previews_decoded() + key_frames_decoded},
      {"tiles", connection.tiles()},
      {"drops", pipeline ? pipeline->drops() : 0},
      {"reconnects", connection.reconnects()},
      {"latency_ms", pipeline ? pipeline->latency_ms() : 0.0},
      {"record_queue_bytes", viewers_bytes + (recorder ? recorder->bytes() : 0)},
      {"record_overruns", recorder ? recorder->overruns() : 0},
      {"clip_frames_lost", recorder ? recorder->lost() : 0},
      {"recording_frames_lost", stored.recording().lost()},
      {"recording_queue_bytes", stored.recording().waiting()},
      {"element_time_us", element_times(pipeline)}};
}

} // namespace vigil::monitor
