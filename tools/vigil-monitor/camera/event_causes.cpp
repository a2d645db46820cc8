// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_causes.h"

#include <cstring>
#include <utility>

namespace vigil::monitor {
namespace {

// tracklabel's message as a record of the live stream.
nlohmann::json track_record(const GstStructure *s, const std::string &camera, double time) {
  guint64 id = 0, views = 0;
  double score = 0;
  gboolean taught = FALSE, ended = FALSE;
  const char *label = gst_structure_get_string(s, "label"), *by = gst_structure_get_string(s, "by");
  gst_structure_get_uint64(s, "id", &id);
  gst_structure_get_uint64(s, "views", &views);
  gst_structure_get_double(s, "score", &score);
  gst_structure_get_boolean(s, "taught", &taught);
  gst_structure_get_boolean(s, "ended", &ended);
  nlohmann::json shape = nlohmann::json::object();
  if (const GValue *v = gst_structure_get_value(s, "features"); v && GST_VALUE_HOLDS_STRUCTURE(v)) {
    const GstStructure *features = gst_value_get_structure(v);
    for (gint i = 0; i < gst_structure_n_fields(features); i++) {
      const char *name = gst_structure_nth_field_name(features, static_cast<guint>(i));
      if (double f = 0; gst_structure_get_double(features, name, &f)) shape[name] = f;
    }
  }
  return {{"kind", "track"},
          {"camera", camera},
          {"time", time},
          {"track", id},
          {"label", label ? label : ""},
          {"score", score},
          {"taught", taught != FALSE},
          {"by", by ? by : ""},
          {"views", views},
          {"ended", ended != FALSE},
          {"shape", shape}};
}

} // namespace

EventCauses::EventCauses(const CameraConfig &config, CameraNews &news, std::shared_ptr<CameraFeed> feed,
                         RuleCounts &counts, TrackLabels &labels, EventTracker &events)
    : config_(config), news_(news), feed_(std::move(feed)), counts_(counts), labels_(labels),
      events_(events) {}

void EventCauses::connection_begins() {
  counts_.forget();
  labels_.forget();
  unnamed_.clear();
}

void EventCauses::message(const GstStructure *s, double time) {
  const std::string name = gst_structure_get_name(s);
  if (turns_ && is_turning_noise(name, s)) return;
  if (CameraTrouble::is_label(name))
    trouble(s, time);
  else if (name == "motion-begin" || name == "motion-end")
    motion(s, time, name == "motion-begin");
  else if (name == "zone-leave" || name == "loitering")
    stay(s, time, name == "zone-leave");
  else if (name == "zone-count")
    zone_count(s);
  else if (name == "line-cross")
    line_cross(s, time);
  else if (name == "event-begin" || name == "event-end")
    class_event(s, time, name == "event-begin");
  else if (name == "track-label")
    track(s, time);
  else if (name == "light-jump")
    news_.announce(config_.name, {{"kind", "light_jump"}, {"camera", config_.name}, {"time", time}});
}

// What a picture that moves as a whole makes elements say. Ends of what began before count.
bool EventCauses::is_turning_noise(const std::string &name, const GstStructure *s) const {
  const char *state = gst_structure_get_string(s, "state");
  if (CameraTrouble::is_label(name)) return state && !std::strcmp(state, "begin");
  return name == "loitering" || name == "line-cross" || name == "event-begin" || name == "light-jump";
}

void EventCauses::begin_turn() {
  turns_ = true;
  motion_due_.reset();
  if (feed_->moving) events_.end("motion", feed_->seen_until(news_.utc()));
  feed_->moving = false;
  news_.changed(config_.name);
}

void EventCauses::end_turn(double seconds) {
  turns_ = false;
  if (sees_motion_) motion_due_ = news_.utc().monotonic() + seconds;
}

void EventCauses::tick() {
  if (!motion_due_ || news_.utc().monotonic() < *motion_due_) return;
  motion_due_.reset();
  begin_motion(feed_->seen_until(news_.utc()), 0);
}

void EventCauses::motion(const GstStructure *s, double time, bool begins) {
  sees_motion_ = begins;
  if (begins && turns_) return;
  motion_due_.reset();
  double changed = 0;
  gst_structure_get_double(s, "changed-fraction", &changed);
  if (begins) return begin_motion(time, changed);
  feed_->moving = false;
  events_.end("motion", time);
  news_.changed(config_.name);
}

void EventCauses::begin_motion(double time, double changed) {
  feed_->moving = true;
  if (config_.motion) events_.begin({"motion", time, changed, "", "", false, false});
  news_.changed(config_.name);
}

void EventCauses::trouble(const GstStructure *s, double time) {
  const std::string name = gst_structure_get_name(s);
  const char *state = gst_structure_get_string(s, "state");
  if (!state) return;
  if (std::strcmp(state, "begin") != 0) {
    trouble_.end(name, time);
    news_.changed(config_.name);
    return;
  }
  guint64 now = 0, since = 0;
  if (gst_structure_get_uint64(s, "running-time", &now) && gst_structure_get_uint64(s, "since", &since) &&
      GST_CLOCK_TIME_IS_VALID(now) && since <= now)
    time -= static_cast<double>(now - since) / GST_SECOND;
  double left = 0;
  gst_structure_get_double(s, name == "camera-blurred" ? "sharpness" : "agreement", &left);
  Point shift;
  const bool shifted =
      gst_structure_get_double(s, "shift-x", &shift.x) && gst_structure_get_double(s, "shift-y", &shift.y);
  if (name == "camera-moved") on_moved();
  trouble_.begin(name, time, left, shifted ? std::optional(shift) : std::nullopt);
  news_.changed(config_.name);
}

void EventCauses::stay(const GstStructure *s, double time, bool leaves) {
  const char *zone = gst_structure_get_string(s, "zone");
  guint64 track = 0;
  double seconds = 0;
  // The track's number may change during the stay; that of its beginning is the one the stay is known by.
  if (!zone || !gst_structure_get_uint64(s, "entered-id", &track) ||
      !gst_structure_get_double(s, "seconds", &seconds))
    return;
  if (leaves)
    stays_.left({zone, track}, time, seconds);
  else if (config_.motion)
    stays_.too_long({zone, track}, time, seconds);
}

void EventCauses::zone_count(const GstStructure *s) {
  const char *zone = gst_structure_get_string(s, "zone");
  gint count = 0;
  if (!zone || !gst_structure_get_int(s, "count", &count)) return;
  if (!config_.zones.count(zone)) return; // it was deleted after this was counted
  counts_.set_inside(zone, count);
  news_.announce(config_.name,
                 {{"kind", "count"}, {"camera", config_.name}, {"zone", zone}, {"count", count}});
  if (count > 0 && !turns_) events_.entered(zone);
}

void EventCauses::line_cross(const GstStructure *s, double time) {
  const char *marked = gst_structure_get_string(s, "line"), *way = gst_structure_get_string(s, "direction");
  guint64 in = 0, out = 0;
  if (!marked || !way || !gst_structure_get_uint64(s, "total-forward", &in) ||
      !gst_structure_get_uint64(s, "total-backward", &out))
    return;
  const std::string line = RuleCounts::line_of(marked);
  const std::string direction = std::strcmp(way, "forward") ? "out" : "in";
  const auto known = config_.lines.find(line);
  if (known == config_.lines.end() ||
      (known->second.direction != "both" && known->second.direction != direction))
    return;
  if (known->second.direction == "in") out = 0; // a line of one way does not count the other
  if (known->second.direction == "out") in = 0;
  counts_.set_crossed(line, in, out);
  news_.crossing(config_.name, line, time, direction == "in");
  guint64 track = 0;
  gst_structure_get_uint64(s, "id", &track);
  const std::string label = labels_.of(track);
  constexpr std::size_t most_unnamed = 1024;
  if (!label.empty())
    counts_.add_crossed(line, label, direction == "in");
  else if (unnamed_.size() < most_unnamed)
    unnamed_.emplace(track, std::pair(line, direction));
  announce_line(line, direction, label);
}

void EventCauses::announce_line(const std::string &line, const std::string &direction,
                                const std::string &label) {
  nlohmann::json record = counts_.line(line);
  record.update({{"kind", "line"},
                 {"camera", config_.name},
                 {"line", line},
                 {"direction", direction},
                 {"label", label}});
  news_.announce(config_.name, record);
}

void EventCauses::track(const GstStructure *s, double time) {
  const nlohmann::json record = track_record(s, config_.name, time);
  const auto id = record.at("track").get<std::uint64_t>();
  const auto label = record.at("label").get<std::string>();
  const bool ended = record.at("ended").get<bool>();
  news_.announce(config_.name, record);
  if (!label.empty()) {
    const auto [first, last] = unnamed_.equal_range(id);
    for (auto c = first; c != last; ++c) {
      const auto &[line, direction] = c->second;
      if (!config_.lines.count(line)) continue; // it was deleted meanwhile
      counts_.add_crossed(line, label, direction == "in");
      announce_line(line, direction, label);
    }
  }
  if (!label.empty() || ended) unnamed_.erase(id);
  count_labels(labels_.set(id, label, ended));
  if (labels_.take_new()) news_.changed(config_.name);
}

void EventCauses::count_labels(const std::set<std::string> &changed) {
  for (const std::string &label : changed)
    news_.announce(config_.name, {{"kind", "label_count"},
                                  {"camera", config_.name},
                                  {"label", label},
                                  {"count", labels_.count(label)}});
}

void EventCauses::class_event(const GstStructure *s, double time, bool begins) {
  const char *label = gst_structure_get_string(s, "class");
  double score = 0;
  gst_structure_get_double(s, "score", &score);
  if (!label) return;
  classes_[label] = begins;
  if (begins)
    events_.begin({label, time, score, "", "", false, false});
  else
    events_.end(label, time);
  news_.changed(config_.name);
}

// boxrules, where it is in the chain, counts in zones and at lines, and so decides which zones an event is
// in.
void EventCauses::set_rules(GstElement *boxrules) {
  if (!boxrules) return;
  counts_.keep_shapes(config_);
  std::erase_if(unnamed_, [&](const auto &c) { return !config_.lines.count(c.second.first); });
  stays_.keep_zones(config_.zones, feed_->seen_until(news_.utc()));
  g_object_set(boxrules, "rules", RuleCounts::rules(config_).c_str(), nullptr);
}

void EventCauses::connection_ends() {
  for (auto &[name, now] : classes_) now = false;
  sees_motion_ = false;
  motion_due_.reset();
  trouble_.forget();
  stays_.forget();
  std::set<std::string> gone;
  const nlohmann::json counted = labels_.describe(false);
  for (const auto &[name, count] : counted.items())
    if (count != 0) gone.insert(name);
  labels_.forget();
  unnamed_.clear();
  count_labels(gone);
  feed_->moving = false;
}

bool EventCauses::learn_classes(const std::map<std::string, double> &scores) {
  bool found = false;
  for (const auto &[name, score] : scores) found = classes_.try_emplace(name, false).second || found;
  return found;
}

} // namespace vigil::monitor
