// SPDX-License-Identifier: LGPL-2.1-or-later
#include "track_crops.h"

#include "crop.h"

#include <cstring>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

double seconds_of(GstClockTime t) {
  return static_cast<double>(t) / GST_SECOND;
}

// Of a box that is a track found in this very frame, and alone in its box.
bool read_track(GstVideoRegionOfInterestMeta *meta, double w, double h, CropPlan::Track &t) {
  const GstStructure *s = gst_video_region_of_interest_meta_get_param(meta, "track");
  guint64 id = 0, group = 0;
  if (!s || !gst_structure_get_uint64(s, "id", &id)) return false;
  const char *state = gst_structure_get_string(s, "state");
  gst_structure_get_uint64(s, "group", &group);
  if (!state || std::strcmp(state, "tracked") != 0 || group) return false;
  t.id = id;
  t.vx = t.vy = 0;
  gst_structure_get_double(s, "vx", &t.vx);
  gst_structure_get_double(s, "vy", &t.vy);
  t.vx /= w;
  t.vy /= h;
  t.box = {static_cast<gint>(meta->x) / w, static_cast<gint>(meta->y) / h, meta->w / w, meta->h / h};
  return true;
}

} // namespace

TrackCrops::TrackCrops(std::string camera, std::shared_ptr<Detector> detector, GstElement *tracklabel)
    : camera_(std::move(camera)), detector_(std::move(detector)),
      tracklabel_(GST_ELEMENT(gst_object_ref(tracklabel)), gst_object_unref),
      plan_(detector_->config().rate) {}

TrackCrops::~TrackCrops() = default;

void TrackCrops::see(GstBuffer *buffer, GstClockTime running, int width, int height) {
  if (!GST_CLOCK_TIME_IS_VALID(running) || width <= 0 || height <= 0 || !detector_->takes()) return;
  std::vector<CropPlan::Track> tracks;
  CropPlan::Track t;
  gpointer state = nullptr;
  while (auto *meta = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    if (read_track(meta, width, height, t)) tracks.push_back(t);
  plan_.see(tracks, seconds_of(running));
}

void TrackCrops::picture(GstBuffer *buffer, GstClockTime running) {
  if (!GST_CLOCK_TIME_IS_VALID(running) || !detector_->takes()) return;
  const auto track = plan_.next(seconds_of(running));
  if (!track) return;
  const DetectorConfig &config = detector_->config();
  auto crop = cut_out(buffer, info_, track->box, config.width, config.height);
  if (!crop) return;
  detector_->look(camera_, std::move(*crop),
                  [element = tracklabel_, id = track->id](const std::string &label, double score) {
                    g_signal_emit_by_name(element.get(), "name-track", static_cast<guint64>(id),
                                          label.c_str(), score);
                  });
}

} // namespace vigil::monitor
