// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera.h"

#include "../config/overrides.h"
#include "../config/secrets.h"
#include "../config/text.h"
#include "../printable.h"
#include "common/error.h"
#include "properties.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vigil::monitor {

namespace {
constexpr double patience_at_start = 15, patience = 5; // seconds without a picture

// The camera's exposure against the background's, as cudamog finds it; none before its first frame.
std::optional<double> exposure_gain(GstElement *mog) {
  GstStructure *stats = nullptr;
  double gain = 0;
  g_object_get(mog, "stats", &stats, nullptr);
  const bool found = stats && gst_structure_get_double(stats, "exposure-gain", &gain);
  if (stats) gst_structure_free(stats);
  return found ? std::optional(gain) : std::nullopt;
}

constexpr const char *state_names[] = {"starting", "online", "offline", "disabled", "ended"};
} // namespace

Camera::Camera(CameraConfig config, CameraServices services)
    : config_(std::move(config)), services_(std::move(services)),
      feed_(std::make_shared<CameraFeed>(config_.live_fps)),
      masks_(std::make_shared<MaskFile>(config_.name, services_.file)), recording_(make_recording()) {
  masks_->set(config_.masks);
}

Camera::~Camera() {
  take_down();
}

std::shared_ptr<Recording> Camera::make_recording() {
  const auto to_utc = [&utc = services_.utc] {
    const double now = utc.now();
    return now - utc.steady(now);
  };
  const auto warning = [log = services_.log, name = config_.name](const std::string &text) {
    log(name + ": " + text);
  };
  return std::make_shared<Recording>(config_.name, services_.recordings,
                                     Recording::Clock{Utc::monotonic_seconds, to_utc}, warning);
}

void Camera::start() {
  if (config_.records_all()) recording_->begin();
  if (!config_.enabled) return go(State::disabled, std::nullopt);
  go(State::starting, std::nullopt);
  build();
}

void Camera::stop(const std::string &why) {
  recording_->stop(gap_reason::stopped);
  take_down();
  if (state_ != State::disabled) go(State::offline, why);
  outage_ends(services_.utc.now());
  heat_ends();
  hand_over_motion();
  services_.in_background([m = std::exchange(masks_, nullptr)]() mutable { m.reset(); }); // it removes files
}

PipelineEvents Camera::pipeline_events() {
  const auto feed = feed_;
  const auto recorder = recorder_;
  const auto weak = weak_from_this();
  const std::string name = config_.name;
  const CameraServices &s = services_;
  PipelineEvents e;
  e.picture = [=, picture = s.picture, on_main = s.on_main](View v, double time, Bytes jpeg) {
    feed->put_picture(v, {jpeg, time, Utc::monotonic_seconds()});
    picture(name, v, feed->moving, time, jpeg);
    if (v == View::plain && feed->wants_picture)
      on_main([=] {
        if (const auto camera = weak.lock()) camera->got_picture(jpeg);
      });
  };
  e.frame = [=, &utc = s.utc](double time, std::vector<Rect> boxes, double area) {
    feed->see(boxes, area);
    feed->seen = utc.steady(time);
    feed->activity.frame(time, std::move(boxes), area);
  };
  const auto recording = recording_;
  e.record_caps = [=](GstCaps *caps) {
    recorder->caps(caps);
    recording->video_caps(caps);
  };
  e.record_frame = [=](GstBuffer *b, double time) {
    recorder->frame(b, time);
    recording->video(b, time);
  };
  e.sound_caps = [=](GstCaps *caps) { recording->sound_caps(caps); };
  e.sound = [=](GstBuffer *b, double time) { recording->sound(b, time); };
  e.scores = [=](std::map<std::string, double> scores, std::vector<float> vector) {
    feed->activity.scores(std::move(scores));
    if (!vector.empty()) feed->set_vector(std::move(vector));
  };
  e.message = [this](GstMessage *m, double time) { message(m, time); };
  e.failed = [this](const std::string &why) { fail(why); };
  e.ended = [this](const std::string &why) { end(why); };
  e.warning = [this](const std::string &text) { warn(text); };
  return e;
}

void Camera::warn(const std::string &text) {
  constexpr std::size_t most = 1000;
  if (warned_.size() < most && warned_.insert(text).second) services_.log(config_.name + ": " + text);
}

void Camera::build() {
  RecorderNews news;
  const auto on_main = [weak = weak_from_this(), post = services_.on_main](auto f) {
    post([weak, f] {
      if (const auto camera = weak.lock()) f(*camera);
    });
  };
  news.finished = [on_main](const std::string &event, const ClipResult &result) {
    on_main([=](Camera &c) { c.clip_finished(event, result); });
  };
  news.broke_off = [on_main](const std::vector<std::string> &events) {
    on_main([=](Camera &c) { c.clips_broke_off(events); });
  };
  news.warning = [on_main](const std::string &text) { on_main([=](Camera &c) { c.warn(text); }); };
  recorder_ = std::make_shared<Recorder>(config_.record.enabled ? config_.record.pre_capture : 0,
                                         services_.clips, std::move(news));
  clip_frames_lost_ = 0;
  started_ = Utc::monotonic_seconds();
  last_change_ = started_;
  last_frames_ = 0;
  inside_.clear(); // boxrules counts from nothing
  crossed_.clear();
  try {
    pipeline_ =
        std::make_unique<CameraPipeline>(config_, services_.file("models/" + config_.name + ".mog"), masks_,
                                         pipeline_events(), services_.contexts, services_.utc, feed_->plan);
    demand(demand_);
    set_rules();
    pipeline_->play(); // why it fails, if it does, comes by the bus
  } catch (const std::exception &e) {
    fail(e.what());
  }
}

void Camera::take_down() {
  for (auto &[label, r] : running_) {
    if (r.active) r.quiet_since = std::max(seen_until(), r.event.start_time);
    end_event(r);
  }
  running_.clear();
  for (auto &[name, now] : classes_) now = false;
  trouble_.clear();
  stays_.clear();
  shift_.reset();
  feed_->moving = false;
  if (recorder_) recorder_->reset();
  if (!pipeline_) return;
  recording_->broke_off(gap_reason::camera_away);
  frames_before_ += pipeline_->frames_in();
  tiles_before_ += pipeline_->tiles();
  pipeline_->mute();
  // Going down can hang in a driver or in the network: not here.
  ++*going_down_;
  services_.in_background([p = std::shared_ptr<CameraPipeline>(std::move(pipeline_)), r = recorder_,
                           going_down = going_down_]() mutable {
    p.reset();
    --*going_down;
  });
}

void Camera::fail(const std::string &why) {
  backoff_.ran(state_ == State::online ? Utc::monotonic_seconds() - started_ : 0);
  const double wait = backoff_.next();
  take_down();
  restart_at_ = Utc::monotonic_seconds() + wait;
  if (reason_ != why || state_ != State::offline)
    services_.log(vigil::text(config_.name, ": offline: ", why, "; trying again in ", wait,
                              " s, later after at most 30 s"));
  go(State::offline, why);
}

void Camera::end(const std::string &why) {
  take_down();
  restart_at_ = std::numeric_limits<double>::infinity();
  services_.log(config_.name + ": " + why);
  go(State::ended, why);
}

void Camera::go(State state, std::optional<std::string> why) {
  if (state == state_ && why == reason_ && since_ > 0) return;
  // Tries that fail as the one before do not begin a new outage.
  const bool same_outage = since_ > 0 && state_ == State::offline && state == State::offline;
  if (!same_outage) since_ = outage_since_ = services_.utc.now();
  if (state != State::offline) outage_ends(since_);
  state_ = state;
  reason_ = std::move(why);
  announce_state();
}

void Camera::announce_state() const {
  services_.announce(config_.name, {{"kind", "camera"}});
}

void Camera::tick() {
  const double now = Utc::monotonic_seconds(), utc = services_.utc.now();
  if (!pipeline_) {
    constexpr int most_hanging = 3;
    if (*going_down_ >= most_hanging) {
      go(State::offline, "its last three connections do not end; restart vigil-monitor if this stays");
    } else if (config_.enabled && now >= restart_at_) {
      reconnects_++;
      build();
    }
  } else {
    const std::uint64_t frames = pipeline_->frames_in();
    if (frames != last_frames_) {
      last_frames_ = frames;
      last_change_ = now;
      if (state_ != State::online && pipeline_->frames_out() > 0) go(State::online, std::nullopt);
    }
    const double allowed = frames ? patience : patience_at_start;
    if (now - last_change_ > allowed) return fail(vigil::text("no picture for ", allowed, " seconds"));
    backoff_.ran(state_ == State::online ? now - started_ : 0);
  }
  recording_->tick();
  update_events(seen_until());
  outage_goes_on(utc);
  feed_->wants_picture = !running_.empty();
  if (state_ == State::online && pipeline_)
    feed_->activity.exposure(exposure_gain(pipeline_->element("cudamog")), shift_);
  const auto second = feed_->activity.end_second(utc);
  bool new_class = false; // a score tells of a class before its first event
  for (const auto &[name, score] : second.sample.scores)
    new_class = classes_.try_emplace(name, false).second || new_class;
  if (new_class) announce_state();
  if (state_ == State::online) {
    nlohmann::json boxes = nlohmann::json::array();
    for (const Rect &b : second.boxes) boxes.push_back(to_json(b));
    services_.announce(
        config_.name,
        {{"kind", "sample"}, {"camera", config_.name}, {"sample", to_json(second.sample)}, {"boxes", boxes}});
  }
  const bool recording = recorder_ && recorder_->recording();
  if (recording != was_recording_) {
    was_recording_ = recording;
    announce_state();
  }
  take_heat(utc);
  hand_over_motion();
  late_clips(now);
}

// This timer drifts: it may skip a second of the clock. What was collected belongs to the minute in which
// that was.
void Camera::take_heat(double time) {
  constexpr double a_minute = 60;
  const double minute = std::floor(time / a_minute) * a_minute;
  if (heat_minute_ == minute) return;
  heat_ends();
  heat_minute_ = minute;
}

void Camera::heat_ends() {
  if (!heat_minute_) return;
  if (auto heat = feed_->activity.take_heat(); !heat.empty())
    services_.heat(config_.name, *heat_minute_, std::move(heat));
}

void Camera::hand_over_motion() {
  if (const MovedSeconds moved = feed_->activity.take_moved(); !moved.empty())
    services_.motion(config_.name, moved);
}

void Camera::change(CameraConfig next) {
  CameraConfig same = next;
  same.zones = config_.zones;
  same.lines = config_.lines;
  same.masks = config_.masks;
  same.motion = config_.motion;
  same.place = config_.place;
  bool restart = !(same == config_);
  // Properties that may change while playing are set, not restarted for.
  CameraConfig elements_too = same;
  elements_too.elements = config_.elements;
  if (restart && elements_too == config_ && pipeline_) {
    restart = false;
    for (const auto &[name, properties] : next.elements) {
      GstElement *e = pipeline_->element(name);
      const auto old = config_.elements.find(name);
      for (const auto &[p, setting] : properties) {
        if (old != config_.elements.end() && old->second.count(p) && old->second.at(p) == setting) continue;
        if (e && changes_while_playing(e, p))
          set_property(e, p, setting.value);
        else
          restart = true;
      }
    }
    for (const auto &[name, properties] : config_.elements)
      for (const auto &[p, setting] : properties)
        if (!next.elements.count(name) || !next.elements.at(name).count(p))
          restart = true; // back to a default
  }
  const bool masks = !(next.masks == config_.masks);
  const bool rules = !(next.zones == config_.zones) || !(next.lines == config_.lines);
  const bool motion = next.motion;
  config_ = std::move(next);
  masks_->set(config_.masks);
  if (!motion)
    if (auto r = running_.find("motion"); r != running_.end()) {
      r->second.quiet_since = std::max(seen_until(), r->second.event.start_time);
      end_event(r->second);
      running_.erase(r);
    }
  if (!config_.records_all() || !config_.enabled) recording_->stop(gap_reason::switched_off);
  if (restart || !config_.enabled) {
    take_down();
    feed_->plan = std::make_shared<TilePlan>(config_.live_fps);
    state_ = State::starting;
    since_ = 0;
    restart_at_ = 0;
    backoff_ = {}; // of what was configured before
    start();
  } else {
    if (masks && pipeline_) pipeline_->draw_masks_soon();
    if (rules) set_rules();
  }
  announce_state();
}

void Camera::demand(Hub::Demand d) {
  demand_ = d;
  feed_->plan->demand(d.views);
  if (pipeline_) pipeline_->set_tile_height(std::max(d.height, config_.live_height));
}

nlohmann::json Camera::describe(const std::vector<std::string> &overridden) const {
  const int w = pipeline_ ? pipeline_->width() : 0, h = pipeline_ ? pipeline_->height() : 0;
  const int shown_w = pipeline_ ? pipeline_->shown_width() : 0;
  const int live_h = h ? std::min(config_.live_height, h) : config_.live_height;
  const auto shapes = [](const auto &map) {
    nlohmann::json out = nlohmann::json::object();
    for (const auto &[name, shape] : map) out[name] = to_json(shape);
    return out;
  };
  const auto codec = recorder_ && config_.record.enabled ? recorder_->codec() : std::nullopt;
  return {{"name", config_.name},
          {"state", state_names[static_cast<int>(state_)]},
          {"reason", reason_ ? nlohmann::json(printable(mask_credentials(*reason_))) : nlohmann::json()},
          {"since", since_},
          {"source", shown_source(config_.source)},
          {"width", w},
          {"height", h},
          {"fps", feed_->activity.mean_fps().value_or(0)},
          {"live",
           {{"width", h ? static_cast<int>(std::lround(static_cast<double>(shown_w) * live_h / h)) : 0},
            {"height", live_h},
            {"fps", config_.live_fps}}},
          {"motion", feed_->moving.load()},
          {"trouble", trouble()},
          {"recording", recorder_ && recorder_->recording()},
          {"record_enabled", config_.record.enabled},
          {"motion_enabled", config_.motion},
          {"codec", codec ? nlohmann::json(*codec) : nlohmann::json()},
          {"reconnects", reconnects_},
          {"views", {"plain", "overlay", "mask", "background"}},
          {"zones", shapes(config_.zones)},
          {"lines", shapes(config_.lines)},
          {"masks", shapes(config_.masks)},
          {"counts", counts()},
          {"classes", classes_},
          {"overridden", overridden}};
}

nlohmann::json Camera::stats() const {
  nlohmann::json times = nlohmann::json::object();
  if (pipeline_) {
    for (GstElement *e : pipeline_->elements()) {
      GstStructure *s = nullptr;
      double us = 0;
      if (!g_object_class_find_property(G_OBJECT_GET_CLASS(e), "stats")) continue;
      g_object_get(e, "stats", &s, nullptr);
      if (s && gst_structure_get_double(s, "kernel-time-us", &us)) times[GST_OBJECT_NAME(e)] = us;
      if (s) gst_structure_free(s);
    }
  }
  return {{"name", config_.name},
          {"fps", feed_->activity.mean_fps().value_or(0)},
          {"frames", frames_before_ + (pipeline_ ? pipeline_->frames_in() : 0)},
          {"tiles", tiles_before_ + (pipeline_ ? pipeline_->tiles() : 0)},
          {"drops", pipeline_ ? pipeline_->drops() : 0},
          {"reconnects", reconnects_},
          {"latency_ms", pipeline_ ? pipeline_->latency_ms() : 0.0},
          {"record_queue_bytes", recorder_ ? recorder_->bytes() : 0},
          {"record_overruns", recorder_ ? recorder_->overruns() : 0},
          {"clip_frames_lost", recorder_ ? recorder_->lost() : 0},
          {"recording_frames_lost", recording_->lost()},
          {"recording_queue_bytes", recording_->waiting()},
          {"element_time_us", times}};
}

} // namespace vigil::monitor
