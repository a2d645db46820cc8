// SPDX-License-Identifier: LGPL-2.1-or-later
#include "notifier.h"

#include "../log.h"
#include "../process.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace vigil::monitor {

using nlohmann::json;

namespace {

std::string thumbnail(Monitor &m, const Event &e) {
  std::ifstream in(m.storage().file(thumb_path(e)), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

} // namespace

Notifier::Notifier(Monitor &m, AuditLog &audit, Push &push)
    : monitor_(m), audit_(audit), push_(push), mqtt_config_(m.cameras().config().mqtt) {
  EventStore &store = m.storage().events();
  if (!mqtt_config_.host.empty())
    mqtt_ = std::make_unique<Mqtt>(mqtt_config_, store, log_line, [this](const Command &c) { order(c); });
  if (const std::string &url = m.cameras().config().webhook.url; !url.empty())
    webhook_ = std::make_unique<Webhook>(url, store, log_line);
  const auto picture = [&m](const Event &e) { return thumbnail(m, e); };
  std::vector<std::string> boxes;
  for (const NotifyConfig &rule : m.cameras().config().notify) {
    notices_.push_back(std::make_unique<Notices>(
        rule, store, [&m](const std::string &camera) { return m.cameras().title_of(camera); }, picture,
        log_line));
    boxes.push_back(notices_.back()->box());
  }
  store.drop_boxes(Notices::prefix, boxes);
  if (!mqtt_ && !webhook_ && notices_.empty() && !push_.enabled()) return;
  m.events().receivers.postings.push_back([this](const char *type, const Event &e) { return news(type, e); });
  m.events().receivers.stored.push_back([this](const char *type, const Event &e) { event(type, e); });
  m.announcer().listeners.push_back(
      [this](const std::string &camera, const json &record) { announce(camera, record); });
}

json Notifier::mqtt_state() const {
  if (!mqtt_) return nullptr;
  return {{"connected", mqtt_->connected()}, {"host", mqtt_config_.host}};
}

json Notifier::test_notices() const {
  json out = json::array();
  for (const auto &n : notices_) {
    const Delivery d = n->test();
    out.push_back({{"to", shown_target(n->rule())}, {"error", d.wrong.empty() ? json() : json(d.wrong)}});
  }
  return out;
}

std::vector<Posting> Notifier::news(const char *type, const Event &e) const {
  const auto old = before_.find(e.id);
  const std::optional<Event> before = old == before_.end() ? std::nullopt : std::optional(old->second);
  const std::string message = event_message(type, before, e);
  std::vector<Posting> out;
  // Of an event that ended so long ago that it is forgotten here, only its name is new.
  const bool old_one = !before && e.end_time && !std::strcmp(type, "update");
  for (const auto &n : notices_)
    if (auto p = old_one ? std::nullopt : n->posting(before, e)) out.push_back(std::move(*p));
  if (!old_one)
    for (Posting &p : push_.postings(before, e)) out.push_back(std::move(p));
  if (mqtt_) out.push_back({"mqtt", {0, mqtt_config_.topic_prefix + "/events", message, false}});
  if (webhook_) out.push_back({"webhook", {0, "", message, false}});
  return out;
}

void Notifier::event(const char *type, const Event &e) {
  // Of an event that is forgotten here nothing is kept again.
  if (!e.end_time || std::strcmp(type, "update") || before_.count(e.id)) before_[e.id] = e;
  // After its end there are news of an event when its clip is whole, and when it gets another name.
  if (!std::strcmp(type, "end")) {
    constexpr std::size_t most = 512;
    ended_.push_back(e.id);
    if (ended_.size() > most) {
      before_.erase(ended_.front());
      ended_.pop_front();
    }
  }
  if (mqtt_) {
    mqtt_->wake();
    const std::string camera = mqtt_config_.topic_prefix + "/" + e.camera;
    mqtt_->set_state({camera + "/last_event", to_json(e).dump()});
    if (e.has_snapshot) {
      const std::string jpeg = thumbnail(monitor_, e);
      if (!jpeg.empty()) mqtt_->set_state({camera + "/snapshot", jpeg});
    }
  }
  if (webhook_) webhook_->wake();
  for (const auto &n : notices_) n->wake();
  push_.wake();
}

void Notifier::announce(const std::string &camera, const json &record) {
  if (!mqtt_) return;
  for (const Topic &t : record_states(mqtt_config_.topic_prefix, record)) mqtt_->set_state(t);
  if (record["kind"] == "camera") announce(record["camera"]);
  if (record["kind"] == "removed") withdraw(camera);
  if (record["kind"] != "sample" || camera != monitor_.cameras().config().order.front()) return;
  const ProcessState p = process_state();
  const json stats = {{"uptime_seconds", static_cast<int>(monitor_.loop().uptime()) / 30 * 30},
                      {"memory_mb", p.memory_bytes / 1'000'000},
                      {"cameras", monitor_.cameras().all().size()}};
  mqtt_->set_state({mqtt_config_.topic_prefix + "/node/" + mqtt_config_.node + "/stats", stats.dump()});
}

// Again when zones or lines change: they have sensors of their own, and those that are gone are taken away.
void Notifier::announce(const json &camera) {
  if (!mqtt_config_.discovery) return;
  const MqttConfig &c = mqtt_config_;
  std::vector<Topic> now =
      discovery(c.topic_prefix, c.node, c.devices.empty() ? c.node : c.devices, camera, c.takes_commands());
  std::vector<Topic> &before = announced_[camera["name"]];
  if (before == now) return;
  for (const Topic &t : before)
    if (std::none_of(now.begin(), now.end(), [&](const Topic &n) { return n.topic == t.topic; }))
      mqtt_->set_state({t.topic, ""}); // an empty retained message takes it away
  for (const Topic &t : now) mqtt_->set_state(t);
  before = std::move(now);
}

// A camera that left the configuration.
void Notifier::withdraw(const std::string &camera) {
  for (const Topic &t : announced_[camera]) mqtt_->set_state({t.topic, ""});
  announced_.erase(camera);
}

// Without waiting: the main loop may be at its end, or busy.
void Notifier::order(const Command &c) {
  MainLoop::post([this, c] { obey(c); });
}

void Notifier::obey(const Command &c) {
  if (no_orders_ || !monitor_.cameras().find(c.camera)) return;
  log_line(c.camera + ": " + c.name + (c.on ? " ON" : " OFF") + ", as ordered by MQTT (" + mqtt_config_.host +
           ")");
  monitor_.cameras().overrides().set_switch(c.camera, c.name, c.on);
  monitor_.cameras().apply(c.camera);
  monitor_.cameras().save_overrides();
  const json line = {{"time", monitor_.utc().now()},
                     {"who", "MQTT"},
                     {"role", "admin"},
                     {"from", mqtt_config_.host},
                     {"what", "switches"},
                     {"details", {{"camera", c.camera}, {"switches", {{c.name, c.on}}}}}};
  monitor_.queue().add_needed([this, line] { audit_.add(line); });
}

bool Notifier::end(std::chrono::milliseconds patience) {
  take_no_orders();
  constexpr std::chrono::milliseconds at_once(0);
  if (webhook_) webhook_->end(at_once); // all come to their end at the same time
  for (const auto &n : notices_) n->end(at_once);
  push_.end(at_once);
  bool all = !mqtt_ || mqtt_->end(patience);
  for (const auto &n : notices_) all = n->end(patience) && all;
  all = push_.end(patience) && all;
  return (!webhook_ || webhook_->end(patience)) && all;
}

} // namespace vigil::monitor
