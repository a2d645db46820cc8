// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_tracker.h"

#include "common/error.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr double better = 1.5; // a much larger object makes a better picture

double size(const std::optional<Rect> &b) {
  return b ? b->width * b->height : 0;
}

bool holds(const std::vector<std::string> &list, const std::string &name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

} // namespace

EventTracker::EventTracker(const CameraConfig &config, CameraNews &news, std::shared_ptr<CameraFeed> feed,
                           EventClips &clips, const RuleCounts &counts)
    : config_(config), news_(news), feed_(std::move(feed)), clips_(clips), counts_(counts) {}

std::vector<std::string> EventTracker::zones_of(const EventCause &cause) const {
  if (cause.of_camera) return {};
  return cause.zone.empty() ? counts_.occupied() : std::vector{cause.zone};
}

void EventTracker::add_zones(Running &r, const std::vector<std::string> &entered) {
  auto &zones = r.event.zones;
  const std::size_t before = zones.size();
  for (const std::string &zone : entered)
    if (!holds(zones, zone)) zones.push_back(zone);
  if (zones.size() > before) news_.event("update", r.event);
}

void EventTracker::entered(const std::string &zone) {
  for (auto &[key, r] : running_)
    if (!r.of_camera && r.event.label != "loitering") add_zones(r, {zone});
}

void EventTracker::begin(const EventCause &cause) {
  const std::string key = cause.key.empty() ? cause.label : cause.key;
  // What moves again before the clip has ended belongs to the same event.
  if (const auto found = running_.find(key); found != running_.end()) {
    Running &r = found->second;
    r.active = true;
    r.of_camera = r.of_camera || cause.of_camera;
    if (cause.beginning_only) clip_beginning(r);
    add_zones(r, zones_of(cause));
    return;
  }
  feed_->take_seen();
  Running r;
  r.event.id = new_event_id(cause.time, config_.name);
  r.event.camera = config_.name;
  r.event.label = cause.label;
  r.event.start_time = cause.time;
  r.event.score = cause.score;
  r.event.continues = cause.continues;
  r.of_camera = cause.of_camera;
  r.event.zones = zones_of(cause);
  if (config_.record.enabled) begin_clip(r);
  news_.event("new", r.event);
  feed_->plan->once(View::plain);
  feed_->wants_picture = true;
  Running &kept = running_[key] = std::move(r);
  if (cause.beginning_only) clip_beginning(kept);
}

void EventTracker::begin_clip(Running &r) {
  Event &e = r.event;
  const double steady = news_.utc().steady(e.start_time);
  const auto kind = clips_.begin_clip(e.id, news_.file(clip_path(e)), steady, e.start_time - steady);
  r.recorded = kind != EventClips::Kind::none;
  e.of_recording = kind == EventClips::Kind::part_of_recording;
  if (e.of_recording)
    e.clip_start = e.start_time - config_.record.pre_capture; // for a program that is killed
}

void EventTracker::clip_beginning(Running &r) {
  if (std::exchange(r.beginning_only, true) || !r.recorded) return;
  clips_.end_clip(r.event.id, news_.utc().monotonic() + config_.record.post_capture);
}

void EventTracker::end(const std::string &key, double time) {
  const auto r = running_.find(key);
  if (r == running_.end()) return;
  r->second.active = false;
  r->second.quiet_since = std::max(time, r->second.event.start_time);
}

void EventTracker::end_now(const std::string &key) {
  const auto r = running_.find(key);
  if (r == running_.end()) return;
  end(key, feed_->seen_until(news_.utc()));
  end_event(r->second);
  running_.erase(r);
}

void EventTracker::end_all() {
  for (auto &[key, r] : running_) {
    if (r.active) r.quiet_since = std::max(feed_->seen_until(news_.utc()), r.event.start_time);
    end_event(r);
  }
  running_.clear();
}

void EventTracker::end_event(Running &r, double clock_change) {
  r.event.end_time = r.quiet_since;
  if (r.recorded) {
    if (!r.beginning_only)
      clips_.end_clip(r.event.id,
                      news_.utc().steady(r.quiet_since + clock_change) + config_.record.post_capture);
    recent_[r.event.id] = {r.event, news_.utc().monotonic(), false};
  }
  news_.event("end", r.event);
}

void EventTracker::raise_score(const std::string &key, double score) {
  if (const auto r = running_.find(key); r != running_.end())
    r->second.event.score = std::max(r->second.event.score, score);
}

std::string EventTracker::young(const std::string &label, double time) const {
  std::string found;
  for (const auto &[key, r] : running_)
    if (r.event.label == label && r.active && time - r.event.start_time < config_.record.post_capture)
      found = key;
  return found;
}

void EventTracker::tick() {
  if (!running_.empty()) update(feed_->seen_until(news_.utc()));
  feed_->wants_picture = !running_.empty();
  late_clips();
}

// Within an event the clock neither stops nor jumps: what goes on ends by the clock that it began by, and
// goes on as an event of the new one.
void EventTracker::clock_set(double change) {
  const double now = feed_->seen_until(news_.utc());
  for (auto &[key, r] : std::exchange(running_, {})) {
    if (r.active) r.quiet_since = std::max(now - change, r.event.start_time);
    end_event(r, change);
    if (r.active) follow(key, r, now);
  }
}

void EventTracker::follow(const std::string &key, const Running &ended, double now) {
  begin({ended.event.label, now, ended.event.score, "", key, ended.beginning_only, ended.of_camera,
         ended.event.id});
  running_.at(key).event.zones = ended.event.zones;
}

void EventTracker::clips_broke_off(const std::vector<std::string> &events) {
  for (auto &[key, r] : running_) {
    if (!holds(events, r.event.id)) continue;
    r.broke_off = true;
    log(vigil::text("the stream's size, rate or codec changed: the clip of event ", r.event.id, " ends there",
                    r.active && !r.beginning_only ? ", and another event goes on" : ""));
  }
  go_on_with_clips(feed_->seen_until(news_.utc()));
}

void EventTracker::go_on_with_clips(double now) {
  // Seconds: a stream that changes all the time must not make an event each time.
  constexpr double shortest = 5;
  std::vector<std::pair<std::string, Running>> again;
  for (auto it = running_.begin(); it != running_.end();) {
    Running &r = it->second;
    if (!r.broke_off || !r.active || r.beginning_only || now - r.event.start_time < shortest) {
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

bool EventTracker::see(Running &r, const CameraFeed::Seen &seen, bool is_motion, double now) {
  bool changed = false;
  if (is_motion) r.event.score = std::max(r.event.score, seen.changed);
  // What comes by hours later is no part of what a clip of the beginning shows.
  const bool shown = !r.beginning_only || now - r.event.start_time < config_.record.post_capture;
  if (shown && size(seen.box) > size(r.event.box)) {
    r.event.box = seen.box;
    changed = true;
  }
  if (!seen.vector.empty() && !r.event.has_vector) {
    r.event.has_vector = true;
    news_.vector(r.event, seen.vector);
  }
  if (r.active && size(r.event.box) > better * r.snapshot_score) feed_->plan->once(View::plain);
  return changed;
}

bool EventTracker::is_over(const Running &r, double now) const {
  return !r.active && now - r.quiet_since >= config_.record.post_capture;
}

void EventTracker::update(double now) {
  go_on_with_clips(now);
  const auto seen = feed_->take_seen();
  std::vector<EventCause> again;
  for (auto it = running_.begin(); it != running_.end();) {
    Running &r = it->second;
    const bool changed = !r.of_camera && see(r, seen, it->first == "motion", now);
    const bool too_long =
        !r.of_camera && r.active && !r.beginning_only && now - r.event.start_time > config_.record.max_clip;
    if (too_long) { // one event ends, and the next goes on from there
      r.quiet_since = now;
      again.push_back({r.event.label, now, r.event.score, "", it->first, false, false, r.event.id});
    }
    if (too_long || is_over(r, now)) {
      end_event(r);
      it = running_.erase(it);
      continue;
    }
    if (changed) news_.event("update", r.event);
    ++it;
  }
  for (const EventCause &cause : again) begin(cause);
}

void EventTracker::picture(const Bytes &jpeg) {
  for (auto &[key, r] : running_) {
    const double now = size(r.event.box);
    if (r.pictured && now <= better * r.snapshot_score) continue;
    r.snapshot_score = now;
    r.pictured = true;
    news_.thumbnail(r.event, jpeg);
    news_.event("update", r.event);
  }
}

void EventTracker::clip_finished(const std::string &id, const ClipResult &result) {
  if (!result.why.empty())
    log("the clip of event " + id + (result.good ? " is not whole: " : " is lost: ") + result.why);
  const auto put = [&](Event &e) {
    e.has_clip = result.good;
    e.clip_bytes = result.bytes;
    e.of_recording = result.end.has_value();
    e.clip_end = result.end;
    if (result.good) e.clip_start = result.start;
    news_.event("update", e);
  };
  if (const auto e = recent_.find(id); e != recent_.end()) {
    put(e->second.event);
    recent_.erase(e);
    return;
  }
  for (auto &[key, r] : running_) // the stream broke off while it went on: its end comes later
    if (r.event.id == id) {
      put(r.event);
      r.recorded = false;
    }
}

void EventTracker::late_clips() {
  constexpr double long_time = 30; // seconds
  for (auto &[id, r] : recent_) {
    if (r.logged || news_.utc().monotonic() - r.since < config_.record.post_capture + long_time) continue;
    r.logged = true;
    log("the clip of event " + id + " still waits for the disk");
  }
}

} // namespace vigil::monitor
