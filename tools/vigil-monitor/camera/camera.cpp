// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera.h"

#include "../config/text.h"
#include "description.h"
#include "properties.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {
namespace {

// The camera's exposure against the background's, as cudamog finds it; none before its first frame.
std::optional<double> exposure_gain(GstElement *mog) {
  if (!mog) return std::nullopt; // the camera is not analysed
  GstStructure *stats = nullptr;
  double gain = 0;
  g_object_get(mog, "stats", &stats, nullptr);
  const bool found = stats && gst_structure_get_double(stats, "exposure-gain", &gain);
  if (stats) gst_structure_free(stats);
  return found ? std::optional(gain) : std::nullopt;
}

} // namespace

Camera::Camera(CameraConfig config, std::shared_ptr<CameraServices> services)
    : config_(std::move(config)), services_(std::move(services)),
      feed_(std::make_shared<CameraFeed>(config_.live_fps)), stored_(config_, services_),
      detect_(config_, services_, feed_, stored_, detect_calls()),
      record_(config_, services_, stored_,
              {[this] { return recorder_news(); }, [this](const std::string &t) { warn(t); },
               [this](const std::string &t) { log(t); }}),
      events_(config_, *services_, feed_, stored_, counts_),
      causes_(config_, *services_, feed_, counts_, labels_, events_),
      onvif_(std::make_shared<OnvifLink>(config_, services_, events_, causes_,
                                         [this] { return detect_.pipeline(); })),
      talk_back_(std::make_shared<TalkBack>(config_, services_)), report_(config_.name, *services_, feed_) {
  causes_.on_moved = [this] { onvif_->moved_by_others(); };
}

Camera::~Camera() {
  talk_back_->stop();
  take_down();
}

void Camera::start() {
  if (config_.records_all()) stored_.record_all();
  if (config_.records_apart()) record_.start();
  onvif_->follow();
  talk_back_->follow();
  detect_.start();
}

void Camera::stop(const std::string &why) {
  stored_.stop_recording(gap_reason::stopped);
  onvif_->stop();
  talk_back_->stop();
  take_down();
  detect_.stopped(why);
  if (config_.records_apart()) record_.stop(why);
  report_.stop();
}

template <class F>
auto Camera::on_main(F f) {
  return [weak = weak_from_this(), services = services_, f](const auto &...arguments) {
    services->on_main([=] {
      if (const auto camera = weak.lock()) f(*camera, arguments...);
    });
  };
}

RecorderNews Camera::recorder_news() {
  RecorderNews news;
  news.finished = on_main(
      [](Camera &c, const std::string &event, const ClipResult &r) { c.events_.clip_finished(event, r); });
  news.broke_off =
      on_main([](Camera &c, const std::vector<std::string> &events) { c.events_.clips_broke_off(events); });
  news.warning = on_main([](Camera &c, const std::string &text) { c.warn(text); });
  news.over = on_main(
      [](Camera &c, const std::string &event, const ClipSpan &span) { c.stored_.part_over(event, span); });
  return news;
}

PipelineEvents Camera::pipeline_events() {
  PipelineEvents e;
  e.picture = [feed = feed_, services = services_, name = config_.name,
               thumbnail = on_main([](Camera &c, const Bytes &jpeg) { c.events_.picture(jpeg); })](
                  View v, double time, const Bytes &jpeg) {
    feed->put_picture(v, {jpeg, time, Utc::monotonic_seconds()});
    services->picture(name, v, feed->moving, time, jpeg);
    if (v == View::plain && feed->wants_picture) thumbnail(jpeg);
  };
  e.frame = [feed = feed_, services = services_](double time, std::vector<Rect> boxes, double area) {
    feed->see(boxes, area);
    feed->seen = services->utc().steady(time);
    feed->activity.frame(time, std::move(boxes), area);
  };
  e.scores = [feed = feed_](std::map<std::string, double> scores, std::vector<float> vector) {
    feed->activity.scores(std::move(scores));
    if (!vector.empty()) feed->set_vector(std::move(vector));
  };
  if (services_->offers_findings()) {
    e.findings_wanted = [feed = feed_] { return feed->findings->wanted(); };
    e.findings = [feed = feed_](const Bytes &document, double captured) {
      feed->findings->put(document, captured);
    };
  }
  e.message = [this](GstMessage *m, double time) {
    if (const GstStructure *s = gst_message_get_structure(m)) causes_.message(s, time);
  };
  return e;
}

DetectStream::Calls Camera::detect_calls() {
  return {[this] { return recorder_news(); },
          [this] { return pipeline_events(); },
          [this] { causes_.connection_begins(); },
          [this] {
            events_.end_all();
            onvif_->connection_ends();
            causes_.connection_ends();
          },
          [this] {
            causes_.set_rules(detect_.element("boxrules"));
            onvif_->connection_begins();
            teach();
          },
          [this](const std::string &t) { warn(t); },
          [this](const std::string &t) { log(t); },
          [this] { return on_main([](Camera &c, const std::string &t) { c.warn(t); }); }};
}

void Camera::warn(const std::string &text) {
  if (warned_.first(text)) log(text);
}

void Camera::teach() {
  if (!setting_of(config_, "tracklabel", "model-location").empty()) return; // it has its own
  if (GstElement *e = detect_.element("tracklabel"))
    services_->teach(e, !config_.privacy.asked() &&
                            setting_of(config_, "tracklabel", "codebook-location").empty());
}

void Camera::learnt(const std::vector<std::string> &labels) {
  teach();
  if (labels_.set_names(labels)) services_->changed(config_.name);
}

void Camera::take_down() {
  detect_.take_down();
  record_.take_down();
}

// Within an event the clock neither stops nor jumps: event_tracker.h.
void Camera::clock_set(double change) {
  stored_.clock_set();
  detect_.clock_set(change);
  record_.clock_set(change);
  causes_.clock_set(change);
  events_.clock_set(change);
}

void Camera::tick() {
  detect_.tick();
  if (config_.enabled && config_.records_apart()) {
    record_.tick();
    const auto recorded = record_.sender_lag(), looked_at = detect_.connection().sender_lag();
    if (recorded && looked_at) stored_.align(*recorded - *looked_at);
  }
  onvif_->tick(detect_.state().online());
  talk_back_->tick(detect_.state().online());
  causes_.tick();
  events_.tick();
  if (detect_.state().online() && pipeline())
    feed_->activity.exposure(exposure_gain(pipeline()->element("cudamog")), causes_.shift());
  const auto second = report_.end_second();
  if (causes_.learn_classes(second.sample.scores)) services_->changed(config_.name);
  if (detect_.state().online()) report_.announce(second);
  stored_.tick();
  report_.store();
}

bool Camera::needs_restart(const CameraConfig &next) {
  CameraConfig same = next;
  same.zones = config_.zones;
  same.lines = config_.lines;
  if (!config_.privacy.silhouettes) same.masks = config_.masks; // else pictures are covered there
  same.unmasked = config_.unmasked;
  same.motion = config_.motion;
  same.place = config_.place;
  same.title = config_.title;
  same.onvif = config_.onvif;
  same.onvif_events = config_.onvif_events;
  same.talk = config_.talk;
  same.talk_address = config_.talk_address;
  if (same == config_) return false;
  same.elements = config_.elements;
  return !(same == config_) || !pipeline() || set_elements(next.elements);
}

bool Camera::set_elements(const ElementSettings &next) {
  bool restart = false;
  for (const auto &[name, properties] : next) {
    GstElement *e = pipeline()->element(name);
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
      if (!next.count(name) || !next.at(name).count(p)) restart = true; // back to a default
  return restart;
}

void Camera::change(CameraConfig next) {
  const bool restart = needs_restart(next);
  const bool masks = !(next.masks == config_.masks);
  const bool rules = !(next.zones == config_.zones) || !(next.lines == config_.lines);
  const bool same_place = next.source == config_.source;
  config_ = std::move(next);
  detect_.set_masks();
  onvif_->follow();
  talk_back_->follow();
  if (!config_.motion) events_.end_now("motion");
  if (!config_.records_all() || !config_.enabled) stored_.stop_recording(gap_reason::switched_off);
  if (restart || !config_.enabled) {
    take_down();
    feed_->plan = std::make_shared<TilePlan>(config_.live_fps);
    feed_->forget_pictures();
    detect_.renew(same_place);
    record_.renew();
    start();
  } else if (pipeline()) {
    if (masks) pipeline()->draw_masks_soon();
    if (rules) causes_.set_rules(pipeline()->element("boxrules"));
  }
  services_->changed(config_.name);
}

void Camera::demand(Hub::Demand d) {
  detect_.demand(d);
}

CameraDescription Camera::description() const {
  return {config_,
          detect_.state(),
          detect_.connection(),
          stored_,
          *feed_,
          causes_,
          record_,
          *onvif_,
          *talk_back_,
          detect_.key_frames_decoded(),
          detect_.viewers_bytes() + record_.uncovered().bytes()};
}

nlohmann::json Camera::describe(const std::vector<std::string> &overridden) const {
  return description().camera(overridden);
}

nlohmann::json Camera::stats() const {
  return description().stats();
}

} // namespace vigil::monitor
