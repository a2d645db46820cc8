// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/track_meta.h"

#include "gst/compat.h"

#include <algorithm>
#include <cstring>

namespace vigil::gst {
namespace {

guint64 nanoseconds(double s) {
  return s > 0 ? static_cast<guint64>(s * GST_SECOND) : 0;
}

track::State state_of(const char *name) {
  for (const track::State s : {track::State::grouped, track::State::predicted})
    if (name && !std::strcmp(name, track::name_of(s))) return s;
  return track::State::tracked;
}

bool read(const GstVideoRegionOfInterestMeta *meta, TrackOnFrame &t) {
  auto *roi = const_cast<GstVideoRegionOfInterestMeta *>(meta);
  const guint64 id = track_of(roi);
  if (id == 0) return false;
  const GstStructure *s = gst_video_region_of_interest_meta_get_param(roi, track_param);
  t = {};
  t.object.id = id;
  t.object.box = box_of(meta);
  t.type = meta->roi_type;
  guint64 age = 0, group = 0;
  gboolean stationary = FALSE;
  gst_structure_get_uint64(s, "age", &age);
  gst_structure_get_uint64(s, "group", &group);
  gst_structure_get_boolean(s, "stationary", &stationary);
  gst_structure_get_double(s, "vx", &t.object.vx);
  gst_structure_get_double(s, "vy", &t.object.vy);
  gst_structure_get_double(s, "came-x", &t.object.came_x);
  gst_structure_get_double(s, "came-y", &t.object.came_y);
  t.object.state = state_of(gst_structure_get_string(s, "state"));
  t.object.stationary = stationary;
  t.object.group = group;
  t.age = double(age) / GST_SECOND;
  if (const GstStructure *name = gst_video_region_of_interest_meta_get_param(roi, label_param))
    if (const char *label = gst_structure_get_string(name, "label")) t.label = label;
  if (const GstStructure *blob = gst_video_region_of_interest_meta_get_param(roi, "blob")) {
    guint area = 0;
    gst_structure_get_uint(blob, "area", &area);
    t.area = area;
    gst_structure_get_double(blob, "xx", &t.spread.xx);
    gst_structure_get_double(blob, "yy", &t.spread.yy);
  }
  return true;
}

} // namespace

guint64 track_of(GstVideoRegionOfInterestMeta *meta) {
  const GstStructure *s = gst_video_region_of_interest_meta_get_param(meta, track_param);
  guint64 id = 0;
  return s && gst_structure_get_uint64(s, "id", &id) ? id : 0;
}

track::Box box_of(const GstVideoRegionOfInterestMeta *m) {
  return {double(static_cast<gint>(m->x)), double(static_cast<gint>(m->y)), double(m->w), double(m->h)};
}

void add_track(GstVideoRegionOfInterestMeta *meta, const track::Object &o, double now) {
  gst_video_region_of_interest_meta_add_param(
      meta, gst_structure_new(track_param, "id", G_TYPE_UINT64, guint64(o.id), "state", G_TYPE_STRING,
                              track::name_of(o.state), "stationary", G_TYPE_BOOLEAN, gboolean(o.stationary),
                              "age", G_TYPE_UINT64, nanoseconds(now - o.first_seen), "unseen", G_TYPE_UINT64,
                              nanoseconds(now - o.last_seen), "vx", G_TYPE_DOUBLE, o.vx, "vy", G_TYPE_DOUBLE,
                              o.vy, "group", G_TYPE_UINT64, guint64(o.group), "came-x", G_TYPE_DOUBLE,
                              o.came_x, "came-y", G_TYPE_DOUBLE, o.came_y, nullptr));
}

void add_track_name(GstBuffer *buffer, guint64 track, const TrackName &name) {
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (track_of(roi) != track) continue;
    gst_video_region_of_interest_meta_add_param(
        roi,
        gst_structure_new(label_param, "label", G_TYPE_STRING, name.label.c_str(), "score", G_TYPE_DOUBLE,
                          name.score, "taught", G_TYPE_BOOLEAN, gboolean(name.by == NamedBy::examples), "by",
                          G_TYPE_STRING, name_of(name.by), "views", G_TYPE_UINT64, name.views, nullptr));
  }
  add_track_classification(buffer, track, name.label, static_cast<float>(name.score));
}

void set_appearance(GstStructure *s, const TrackAppearance &a) {
  GBytes *vector = g_bytes_new(a.vector.data(), a.vector.size() * sizeof(float));
  gst_structure_set(s, "vector", G_TYPE_BYTES, vector, "codebook", G_TYPE_STRING, a.codebook.c_str(),
                    "pictures", G_TYPE_UINT64, a.pictures, nullptr);
  g_bytes_unref(vector);
}

void add_track_appearance(GstBuffer *buffer, guint64 track, const TrackAppearance &a) {
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (track_of(roi) != track) continue;
    GstStructure *s = gst_structure_new_empty(appearance_param);
    set_appearance(s, a);
    gst_video_region_of_interest_meta_add_param(roi, s);
  }
}

std::optional<TrackName> track_name_on(GstBuffer *buffer, guint64 track) {
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    const GstStructure *s =
        track_of(roi) == track ? gst_video_region_of_interest_meta_get_param(roi, label_param) : nullptr;
    const char *label = s ? gst_structure_get_string(s, "label") : nullptr;
    if (!label) continue;
    TrackName name{label};
    const char *by = gst_structure_get_string(s, "by");
    gst_structure_get_double(s, "score", &name.score);
    gst_structure_get_uint64(s, "views", &name.views);
    for (const NamedBy each : {NamedBy::detector, NamedBy::examples})
      if (by && !std::strcmp(by, name_of(each))) name.by = each;
    return name;
  }
  TrackName name;
  if (!read_track_classification(buffer, track, name.label, name.score)) return std::nullopt;
  return name;
}

const char *name_of(NamedBy by) {
  constexpr const char *names[] = {"shape", "detector", "examples"};
  return names[static_cast<std::size_t>(by)];
}

void detections_on(GstBuffer *buffer, std::vector<DetectionOnFrame> &detections) {
  const auto first = static_cast<std::ptrdiff_t>(detections.size());
  const GQuark motion = g_quark_from_static_string("motion");
  const auto add = [&](GQuark type, const track::Box &box, double score) {
    const char *label = g_quark_to_string(type);
    if (type != motion && label && *label) detections.push_back({box, label, std::clamp(score, 0., 1.)});
  };
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (gst_video_region_of_interest_meta_get_param(roi, "blob")) continue;
    const GstStructure *track = gst_video_region_of_interest_meta_get_param(roi, track_param);
    if (track && state_of(gst_structure_get_string(track, "state")) != track::State::tracked) continue;
    double score = 1;
    if (const GstStructure *s = gst_video_region_of_interest_meta_get_param(roi, "detection"))
      gst_structure_get_double(s, "confidence", &score);
    add(roi->roi_type, box_of(roi), score);
  }
  // Those of GstAnalytics that no box says as well.
  const std::vector<DetectionOnFrame> boxes(detections.begin() + first, detections.end());
  for_each_object(buffer, [&](const ObjectMeta &o) {
    const track::Box box{double(o.x), double(o.y), double(o.width), double(o.height)};
    if (std::none_of(boxes.begin(), boxes.end(), [&](const DetectionOnFrame &d) { return d.box == box; }))
      add(o.type, box, o.score > 0 ? double{o.score} : 1);
  });
}

void ghosts_on(GstBuffer *buffer, std::vector<GhostOnFrame> &ghosts) {
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    const GstStructure *blob = gst_video_region_of_interest_meta_get_param(roi, "blob");
    gboolean ghost = FALSE;
    if (blob && gst_structure_get_boolean(blob, "ghost", &ghost) && ghost)
      ghosts.push_back({box_of(roi), roi->roi_type});
  }
}

void tracks_on(GstBuffer *buffer, std::vector<TrackOnFrame> &tracks) {
  gpointer state = nullptr;
  const auto first = static_cast<std::ptrdiff_t>(tracks.size());
  TrackOnFrame t;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
    if (read(reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta), t)) tracks.push_back(t);
  if (static_cast<std::ptrdiff_t>(tracks.size()) == first)
    for_each_tracked_object(buffer, [&](const TrackedObjectMeta &m) {
      t = {};
      t.object.id = m.track;
      t.object.box = {double(m.x), double(m.y), double(m.width), double(m.height)};
      t.object.state = track::State::tracked;
      t.type = m.type;
      t.age = m.age;
      double score = 0;
      read_track_classification(buffer, m.track, t.label, score);
      tracks.push_back(t);
    });
  const auto by_id = [](const TrackOnFrame &a, const TrackOnFrame &b) { return a.object.id < b.object.id; };
  std::stable_sort(tracks.begin() + first, tracks.end(), by_id);
  const auto same = [](const TrackOnFrame &a, const TrackOnFrame &b) { return a.object.id == b.object.id; };
  tracks.erase(std::unique(tracks.begin() + first, tracks.end(), same), tracks.end());
}

} // namespace vigil::gst
