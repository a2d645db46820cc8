// SPDX-License-Identifier: LGPL-2.1-or-later
#include "listener.h"

#include <algorithm>
#include <cstring>
#include <gst/video/video.h>

namespace vigil::scan {

namespace {

double number(const GstStructure *s, const char *field) {
  double v = 0;
  gst_structure_get_double(s, field, &v);
  return v;
}
Time nanoseconds(const GstStructure *s, const char *field) {
  guint64 v = 0;
  return gst_structure_get_uint64(s, field, &v) && v != GST_CLOCK_TIME_NONE ? static_cast<Time>(v) : -1;
}
std::string word(const GstStructure *s, const char *field) {
  const char *v = gst_structure_get_string(s, field);
  return v ? v : "";
}
// boxtrack counts in seconds, in double precision: what lies below a microsecond is rounding.
Time microseconds(Time t) {
  constexpr Time step = 1000;
  return (t + step / 2) / step * step;
}
Box box_of(const GstStructure *s) {
  return {number(s, "x"), number(s, "y"), number(s, "width"), number(s, "height")};
}

// Numbers, words and truth values; what else a message holds (arrays of boxes) is not kept.
gboolean keep_field(GQuark name, const GValue *v, gpointer to) {
  static const std::set<std::string> times{"timestamp", "stream-time", "running-time", "duration"};
  Json &j = *static_cast<Json *>(to);
  const std::string field = g_quark_to_string(name);
  if (times.contains(field)) return TRUE;
  if (G_VALUE_HOLDS_STRING(v) && g_value_get_string(v))
    j[field] = g_value_get_string(v);
  else if (G_VALUE_HOLDS_BOOLEAN(v))
    j[field] = g_value_get_boolean(v) != FALSE;
  else if (G_VALUE_HOLDS_DOUBLE(v))
    j[field] = g_value_get_double(v);
  else if (G_VALUE_HOLDS_FLOAT(v))
    j[field] = double{g_value_get_float(v)};
  else if (G_VALUE_HOLDS_INT(v))
    j[field] = g_value_get_int(v);
  else if (G_VALUE_HOLDS_UINT(v))
    j[field] = g_value_get_uint(v);
  else if (G_VALUE_HOLDS_UINT64(v))
    j[field] = g_value_get_uint64(v);
  else if (G_VALUE_HOLDS_INT64(v))
    j[field] = g_value_get_int64(v);
  return TRUE;
}

} // namespace

Time stream_time(GstPad *pad, GstBuffer *buffer) {
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event) return -1;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  Time t = -1;
  if (GST_BUFFER_PTS_IS_VALID(buffer))
    if (const guint64 v = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        v != GST_CLOCK_TIME_NONE)
      t = static_cast<Time>(v);
  gst_event_unref(event);
  return t;
}

std::vector<float> vector_on(GstBuffer *buffer) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, "vigil-fisher");
  const GValue *v = meta ? gst_structure_get_value(gst_custom_meta_get_structure(meta), "vector") : nullptr;
  if (!v || !G_VALUE_HOLDS(v, G_TYPE_BYTES)) return {};
  gsize size = 0;
  const void *data = g_bytes_get_data(static_cast<GBytes *>(g_value_get_boxed(v)), &size);
  std::vector<float> out(size / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), data, out.size() * sizeof(float));
  return out;
}

void Listener::change(const std::string &label, bool begins, Time t, Time quiet) {
  if (begins)
    open_.insert(label);
  else
    open_.erase(label);
  begun_ |= begins;
  if (t < findings_.part.begin)
    findings_.open_at_begin = open_;
  else
    findings_.changes.push_back({label, begins, std::max<Time>(0, t - quiet)});
}

void Listener::track_begins(const GstStructure *s, Time t) {
  guint64 id = 0;
  gst_structure_get_uint64(s, "id", &id);
  Track &track = tracks_[id];
  track.id = id;
  track.type = word(s, "type");
  track.begin = microseconds(std::max<Time>(0, t - std::max<Time>(0, nanoseconds(s, "age"))));
  track.first = box_of(s);
}

void Listener::track_ends(const GstStructure *s, Time t) {
  guint64 id = 0;
  gst_structure_get_uint64(s, "id", &id);
  const auto i = tracks_.find(id);
  if (i == tracks_.end()) return;
  Track track = i->second;
  tracks_.erase(i);
  track.end = std::max(track.begin, microseconds(t - std::max<Time>(0, nanoseconds(s, "unseen"))));
  track.last = box_of(s);
  if (track.end < findings_.part.begin) return;
  track.from_before = track.begin < findings_.part.begin;
  track.begin = std::max(track.begin, findings_.part.begin);
  findings_.tracks.push_back(track);
}

void Listener::message(const GstStructure *s) {
  const std::lock_guard lock(mutex_);
  Time t = nanoseconds(s, "stream-time");
  if (t < 0) t = std::max<Time>(0, before_);
  if (finished_ || t >= findings_.part.end) return;
  const std::string name = gst_structure_get_name(s);
  if (name == "track-update") return;
  if (name == "track-begin") return track_begins(s, t);
  if (name == "track-end") return track_ends(s, t);
  for (const bool begins : {true, false}) {
    const std::string ending = begins ? "-begin" : "-end";
    if (!name.ends_with(ending)) continue;
    const std::string kind = word(s, "class");
    const Time quiet = begins ? 0 : std::max<Time>(0, nanoseconds(s, "quiet"));
    return change(kind.empty() ? name.substr(0, name.size() - ending.size()) : kind, begins, t, quiet);
  }
  if (t < findings_.part.begin) return;
  Happening h{t, Json{{"name", name}}};
  gst_structure_foreach(s, keep_field, &h.fields);
  findings_.happenings.push_back(std::move(h));
}

void Listener::look(GstBuffer *buffer, Time t) {
  const double whole = double(findings_.width) * findings_.height;
  double area = 0;
  int boxes = 0;
  gpointer state = nullptr;
  while (auto *meta = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    // places of tracks that were not found on this frame are estimates
    if (const GstStructure *track = gst_video_region_of_interest_meta_get_param(meta, "track");
        track && word(track, "state") != "tracked")
      continue;
    boxes++;
    area += whole > 0 ? double(meta->w) * meta->h / whole : 0;
  }
  if (boxes == 0) return;
  Activity &a = findings_.activity[t / second];
  a = {std::max(a.boxes, boxes), std::max(a.area, std::min(area, 1.0))};
}

Listener::Fate Listener::frame(GstPad *pad, GstBuffer *buffer) {
  const std::lock_guard lock(mutex_);
  seen_++;
  Time t = stream_time(pad, buffer);
  if (t < 0) t = std::max<Time>(0, before_);
  if (finished_ || t >= findings_.part.end) {
    finished_ = true;
    return Fate::drop;
  }
  const bool next_step = every_ > 0 && t / every_ != before_ / every_;
  const bool chosen = every_ > 0 && t >= findings_.part.begin && !open_.empty() && (begun_ || next_step);
  if (first_ < 0) first_ = t;
  before_ = t;
  begun_ = false;
  if (t < findings_.part.begin) return Fate::drop;
  if (one_) {
    finished_ = findings_.frames++ > 0;
    return finished_ ? Fate::drop : Fate::keep;
  }
  if (findings_.frames++ == 0)
    if (GstCaps *caps = gst_pad_get_current_caps(pad)) {
      const GstStructure *s = gst_caps_get_structure(caps, 0);
      gst_structure_get_int(s, "width", &findings_.width);
      gst_structure_get_int(s, "height", &findings_.height);
      gst_caps_unref(caps);
    }
  findings_.last = t;
  look(buffer, t);
  return chosen ? Fate::keep : Fate::drop;
}

void Listener::scored(GstPad *pad, GstBuffer *buffer) {
  const std::lock_guard lock(mutex_);
  std::vector<float> values = vector_on(buffer);
  const Time t = stream_time(pad, buffer);
  if (!values.empty() && t >= 0) findings_.vectors.push_back({t, std::move(values)});
}

Time Listener::mean_step() {
  const std::lock_guard lock(mutex_);
  return seen_ > 1 ? (before_ - first_) / static_cast<Time>(seen_ - 1) : 0;
}

Findings Listener::take() {
  const std::lock_guard lock(mutex_);
  for (auto &[id, track] : tracks_) { // what is open: the part ended before it
    track.end = std::max(track.begin, finished_ ? findings_.part.end : findings_.last);
    track.goes_on = finished_;
    track.last = track.first;
    track.from_before = track.begin < findings_.part.begin;
    track.begin = std::max(track.begin, findings_.part.begin);
    findings_.tracks.push_back(track);
  }
  tracks_.clear();
  return std::move(findings_);
}

} // namespace vigil::scan
