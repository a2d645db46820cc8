// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a camera: what begins and ends them, their clips, thumbnails and zones.
#include "camera.h"

#include "../config/geometry.h"
#include "common/error.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace vigil::monitor {
namespace {

// To boxrules zones and lines are names of one kind; here a line may have a zone's. No name has a colon.
constexpr std::string_view line_mark = "line:";

} // namespace

void Camera::message(GstMessage *m, double time) {
  const GstStructure *s = gst_message_get_structure(m);
  const std::string name = s ? gst_structure_get_name(s) : "";
  if (s && (trouble_message(s, time) || stay_message(s, time))) return;
  if (name == "motion-begin") {
    double changed = 0;
    gst_structure_get_double(s, "changed-fraction", &changed);
    feed_->moving = true;
    if (config_.motion) begin_event("motion", time, changed);
    announce_state();
  } else if (name == "motion-end") {
    feed_->moving = false;
    end_cause("motion", time);
    announce_state();
  } else if (name == "light-jump") {
    services_.announce(config_.name, {{"kind", "light_jump"}, {"camera", config_.name}, {"time", time}});
  } else if (name == "zone-count") {
    const char *zone = gst_structure_get_string(s, "zone");
    gint count = 0;
    if (!zone || !gst_structure_get_int(s, "count", &count)) return;
    inside_[zone] = count;
    services_.announce(config_.name,
                       {{"kind", "count"}, {"camera", config_.name}, {"zone", zone}, {"count", count}});
  } else if (name == "line-cross") {
    const char *marked = gst_structure_get_string(s, "line"), *way = gst_structure_get_string(s, "direction");
    guint64 in = 0, out = 0;
    if (!marked || !g_str_has_prefix(marked, line_mark.data()) || !way ||
        !gst_structure_get_uint64(s, "total-forward", &in) ||
        !gst_structure_get_uint64(s, "total-backward", &out))
      return;
    const std::string line = marked + line_mark.size();
    const std::string direction = std::strcmp(way, "forward") ? "out" : "in";
    const auto known = config_.lines.find(line);
    if (known == config_.lines.end() ||
        (known->second.direction != "both" && known->second.direction != direction))
      return;
    if (known->second.direction == "in") out = 0; // what a line of one way does not count
    if (known->second.direction == "out") in = 0;
    crossed_[line] = {in, out};
    services_.crossing(config_.name, line, time, direction == "in");
    services_.announce(config_.name, {{"kind", "line"},
                                      {"camera", config_.name},
                                      {"line", line},
                                      {"direction", direction},
                                      {"in", in},
                                      {"out", out}});
  } else if (name == "event-begin" || name == "event-end") {
    const char *label = gst_structure_get_string(s, "class");
    double score = 0;
    gst_structure_get_double(s, "score", &score);
    if (!label) return;
    classes_[label] = name == "event-begin";
    if (name == "event-begin")
      begin_event(label, time, score);
    else
      end_cause(label, time);
    announce_state();
  }
}

void Camera::begin_event(const std::string &label, double time, double score, const std::string &zone,
                         std::string key, const std::string &continues) {
  if (key.empty()) key = label;
  // What stirs again before the clip has ended belongs to the same event.
  if (const auto r = running_.find(key); r != running_.end()) {
    r->second.active = true;
    auto &zones = r->second.event.zones;
    if (zone.empty() || std::find(zones.begin(), zones.end(), zone) != zones.end()) return;
    zones.push_back(zone);
    services_.event("update", r->second.event);
    return;
  }
  feed_->take_seen();
  Running r;
  r.event.id = new_event_id(time, config_.name);
  r.event.camera = config_.name;
  r.event.label = label;
  r.event.start_time = time;
  r.event.score = score;
  r.event.continues = continues;
  if (!zone.empty()) r.event.zones.push_back(zone);
  services_.event("new", r.event);
  if (config_.record.enabled && recorder_)
    r.recorded = recorder_->begin(r.event.id, services_.file(clip_path(r.event)), services_.utc.steady(time),
                                  time - services_.utc.steady(time));
  feed_->plan->once(View::plain);
  running_[key] = std::move(r);
  feed_->wants_picture = true;
}

void Camera::clip_beginning(Running &r) {
  if (std::exchange(r.beginning, true) || !r.recorded) return;
  recorder_->end_after(r.event.id, Utc::monotonic_seconds() + config_.record.post_capture);
}

void Camera::end_cause(const std::string &key, double time) {
  const auto r = running_.find(key);
  if (r == running_.end()) return;
  r->second.active = false;
  r->second.quiet_since = std::max(time, r->second.event.start_time);
}

void Camera::end_event(Running &r, double clock_change) {
  r.event.end_time = r.quiet_since;
  if (r.recorded && recorder_) {
    if (!r.beginning)
      recorder_->end_after(r.event.id,
                           services_.utc.steady(r.quiet_since + clock_change) + config_.record.post_capture);
    recent_[r.event.id] = {r.event, Utc::monotonic_seconds(), false};
  }
  services_.event("end", r.event);
}

// Within an event time neither stands still nor jumps: what goes on ends by the clock that it began by, and
// goes on as an event of the new one.
void Camera::clock_set(double change) {
  since_ += change;
  recording_->clock_set();
  outage_ends(services_.utc.now() - change);
  outage_since_ = services_.utc.now();
  const double now = seen_until();
  for (auto &[what, since] : trouble_) since += change;
  for (auto &[key, r] : std::exchange(running_, {})) {
    if (r.active) r.quiet_since = std::max(now - change, r.event.start_time);
    end_event(r, change);
    if (!r.active) continue;
    Running &next = follow(key, r, now);
    if (r.beginning) clip_beginning(next);
  }
}

Camera::Running &Camera::follow(const std::string &key, const Running &ended, double now) {
  begin_event(ended.event.label, now, ended.event.score, "", key, ended.event.id);
  Running &next = running_[key];
  next.of_trouble = ended.of_trouble;
  next.event.zones = ended.event.zones;
  return next;
}

void Camera::clips_broke_off(const std::vector<std::string> &events) {
  for (auto &[key, r] : running_) {
    if (std::find(events.begin(), events.end(), r.event.id) == events.end()) continue;
    r.broke_off = true;
    services_.log(vigil::text(config_.name, ": the stream's size, rate or codec changed: the clip of event ",
                              r.event.id, " ends there",
                              r.active && !r.beginning ? ", and another event goes on" : ""));
  }
  go_on_with_clips(seen_until());
}

void Camera::go_on_with_clips(double now) {
  // Seconds: a stream that changes all the time must not make an event each time.
  constexpr double shortest = 5;
  std::vector<std::pair<std::string, Running>> again;
  for (auto it = running_.begin(); it != running_.end();) {
    Running &r = it->second;
    if (!r.broke_off || !r.active || r.beginning || now - r.event.start_time < shortest) {
      ++it;
      continue;
    }
    r.quiet_since = now;
    end_event(r);
    again.emplace_back(it->first, std::move(r));
    it = running_.erase(it);
  }
  for (const auto &[key, r] : again) follow(key, r, now);
}

double Camera::seen_until() const {
  const double now = Utc::monotonic_seconds(), seen = feed_->seen;
  return services_.utc.now() - (seen > started_ ? std::max(0.0, now - seen) : 0);
}

void Camera::update_events(double now) {
  if (running_.empty()) return;
  go_on_with_clips(now);
  const auto seen = feed_->take_seen();
  std::vector<std::pair<std::string, Event>> again;
  for (auto it = running_.begin(); it != running_.end();) {
    Running &r = it->second;
    if (r.of_trouble) {
      if (r.active || now - r.quiet_since < config_.record.post_capture) {
        ++it;
      } else {
        end_event(r);
        it = running_.erase(it);
      }
      continue;
    }
    bool changed = false;
    for (const std::string &z : seen.zones)
      if (r.event.label != "loitering" &&
          std::find(r.event.zones.begin(), r.event.zones.end(), z) == r.event.zones.end()) {
        r.event.zones.push_back(z);
        changed = true;
      }
    if (it->first == "motion" && seen.changed > r.event.score) r.event.score = seen.changed;
    const auto size = [](const std::optional<Rect> &b) { return b ? b->width * b->height : 0; };
    // What comes by hours later is no part of what a clip of the beginning shows.
    const bool shown = !r.beginning || now - r.event.start_time < config_.record.post_capture;
    if (shown && size(seen.box) > size(r.event.box)) {
      r.event.box = seen.box;
      changed = true;
    }
    if (!seen.vector.empty() && !r.event.has_vector) {
      r.event.has_vector = true;
      services_.vector(r.event, seen.vector);
    }
    constexpr double better = 1.5; // a much larger object makes a better picture
    if (r.active && size(r.event.box) > better * r.snapshot_score) feed_->plan->once(View::plain);
    if (r.active && !r.beginning &&
        now - r.event.start_time >
            config_.record.max_clip) { // one event ends, and the next goes on from there
      r.quiet_since = now;
      end_event(r);
      again.emplace_back(it->first, r.event);
      it = running_.erase(it);
      continue;
    }
    if (!r.active && now - r.quiet_since >= config_.record.post_capture) {
      end_event(r);
      it = running_.erase(it);
      continue;
    }
    if (changed) services_.event("update", r.event);
    ++it;
  }
  for (const auto &[key, ended] : again) begin_event(ended.label, now, ended.score, "", key, ended.id);
}

void Camera::got_picture(Bytes jpeg) {
  for (auto &[label, r] : running_) {
    const double size = r.event.box ? r.event.box->width * r.event.box->height : 0;
    constexpr double better = 1.5;
    if (r.pictured && size <= better * r.snapshot_score) continue;
    r.snapshot_score = size;
    r.pictured = true;
    services_.thumbnail(r.event, jpeg);
    services_.event("update", r.event);
  }
}

void Camera::clip_finished(const std::string &id, const ClipResult &result) {
  if (!result.why.empty())
    services_.log(config_.name + ": the clip of event " + id +
                  (result.good ? " is not whole: " : " is lost: ") + result.why);
  const auto put = [&](Event &e) {
    e.has_clip = result.good;
    e.clip_bytes = result.bytes;
    if (result.good) e.clip_start = result.start;
    services_.event("update", e);
  };
  const auto e = recent_.find(id);
  if (e == recent_.end()) { // the stream broke off while it went on: its end comes later
    for (auto &[label, r] : running_)
      if (r.event.id == id) {
        put(r.event);
        r.recorded = false;
      }
    return;
  }
  put(e->second.event);
  recent_.erase(e);
}

void Camera::late_clips(double now) {
  constexpr double long_time = 30; // seconds
  for (auto &[id, r] : recent_) {
    if (r.logged || now - r.since < config_.record.post_capture + long_time) continue;
    r.logged = true;
    services_.log(config_.name + ": the clip of event " + id + " still waits for the disk");
  }
  if (const std::uint64_t lost = recorder_ ? recorder_->lost() : 0; lost != clip_frames_lost_) {
    clip_frames_lost_ = lost;
    if (slow_disk_.failed(now))
      services_.log(config_.name + ": the disk is so slow that frames of clips are lost");
  } else if (slow_disk_.worked(now)) {
    services_.log(config_.name + ": the disk takes all frames of clips again");
  }
}

// What boxrules counts; empty where it is not in the chain.
nlohmann::json Camera::counts() const {
  nlohmann::json zones = nlohmann::json::object(), lines = nlohmann::json::object();
  if (pipeline_ && pipeline_->element("boxrules")) {
    for (const auto &[name, zone] : config_.zones) {
      const auto n = inside_.find(name);
      zones[name] = n == inside_.end() ? 0 : n->second;
    }
    for (const auto &[name, line] : config_.lines) {
      const auto n = crossed_.find(name);
      const LineTotals totals = n == crossed_.end() ? LineTotals{} : n->second;
      lines[name] = {{"in", totals.in}, {"out", totals.out}};
    }
  }
  return {{"zones", zones}, {"lines", lines}};
}

// boxrules, where it is in the chain, counts in zones and at lines; events know their zones without it too.
void Camera::set_rules() {
  GstElement *rules = pipeline_ ? pipeline_->element("boxrules") : nullptr;
  if (!rules) return;
  const auto points = [](const std::vector<Point> &from) {
    nlohmann::json out = nlohmann::json::array();
    for (const Point p : from) out.push_back({p.x, p.y});
    return out;
  };
  // A shape that is gone, and made again by the same name, begins at nothing.
  std::erase_if(inside_, [&](const auto &n) { return !config_.zones.count(n.first); });
  for (auto stay = stays_.begin(); stay != stays_.end();)
    stay = config_.zones.count(stay->first.first) ? std::next(stay) : stay_ends(stay, seen_until());
  std::erase_if(crossed_, [&](const auto &n) { return !config_.lines.count(n.first); });
  nlohmann::json zones = nlohmann::json::array(), lines = nlohmann::json::array();
  for (const auto &[name, zone] : config_.zones) {
    zones.push_back({{"name", name}, {"polygon", points(zone.points)}});
    if (zone.loiter_seconds > 0) zones.back()["loitering"] = zone.loiter_seconds;
  }
  for (const auto &[name, line] : config_.lines)
    lines.push_back({{"name", std::string(line_mark) + name}, {"points", points(line.points)}});
  const std::string text = nlohmann::json{{"units", "normalised"}, {"zones", zones}, {"lines", lines}}.dump();
  g_object_set(rules, "rules", text.c_str(), nullptr);
}

} // namespace vigil::monitor
