// SPDX-License-Identifier: LGPL-2.1-or-later
// Devices that get messages by web push.
#include "api.h"

#include "../camera/utc.h"
#include "../notify/push.h"
#include "common/error.h"

#include <algorithm>

namespace vigil::monitor {

using nlohmann::json;

namespace {

bool may_change(const Visitor &v, const StoredDevice &d) {
  return d.owner == v.owner() || (v.role == Role::admin && v.cameras.all());
}

// Without the subscription: anyone who knows it can send messages to the device.
json device_json(const Visitor &v, const PushDevice &d) {
  json out = to_json(d.settings);
  PushSettings shown = d.settings;
  std::erase_if(shown.cameras, [&](const std::string &name) { return !v.cameras.has(name); });
  out["cameras"] = shown.cameras;
  out["id"] = d.stored.id;
  out["name"] = d.stored.name;
  out["own"] = d.stored.owner == v.owner();
  out["agent"] = d.stored.agent;
  out["created"] = d.stored.created;
  out["sent"] = d.stored.sent ? json(d.stored.sent) : json();
  out["problem"] = d.stored.problem.empty() ? json() : json(d.stored.problem);
  return out;
}

// The page's own address, as the browser says.
std::string site_of(const Request &r) {
  std::string host = r.header("host");
  if (const std::string origin = r.header("origin"); origin.find("://") != origin.npos)
    host = origin.substr(origin.find("://") + 3);
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
  return "https://" + (plain && !host.empty() ? host : std::string("localhost"));
}

void check_cameras(const Visitor &v, const PushSettings &s) {
  for (const std::string &name : s.cameras)
    if (!v.cameras.has(name)) refuse(404, "there is no camera '" + name + "'");
}

std::string key_member(const json &keys, const char *name) {
  const auto value = keys.find(name);
  if (value == keys.end() || !value->is_string())
    refuse(400, std::string("the subscription has no key ") + name);
  return from_base64url(value->get<std::string>());
}

} // namespace

Push &Api::need_push() {
  if (!services.push || !services.push->enabled())
    refuse(409, "push: {enabled: false} of the configuration forbids messages by push");
  return *services.push;
}

std::shared_ptr<const PushDevice> Api::need_device(const Match &m) {
  const auto d = need_push().devices().find(m.parts[0]);
  if (!d || !may_change(m.visitor, d->stored)) refuse(404, "there is no device " + m.parts[0]);
  return d;
}

Response Api::push_devices(const Match &m) {
  if (!services.push || !services.push->enabled())
    return json_response({{"enabled", false}, {"key", json()}, {"devices", json::array()}});
  json list = json::array();
  for (const auto &d : services.push->devices().all())
    if (may_change(m.visitor, d->stored)) list.push_back(device_json(m.visitor, *d));
  return json_response({{"enabled", true}, {"key", services.push->public_key()}, {"devices", list}});
}

Response Api::add_push_device(const Match &m) {
  Push &to = need_push();
  const std::string expected =
      R"({"subscription": {"endpoint": "https://...", "keys": {"p256dh": "...", "auth": "..."}}, "settings": {...}})";
  const json body = json_body(m.request);
  const auto subscription = body.find("subscription");
  for (const auto &[name, value] : body.items())
    if (name != "subscription" && name != "settings") refuse(400, "expected " + expected);
  if (subscription == body.end() || !subscription->is_object()) refuse(400, "expected " + expected);
  const auto endpoint = subscription->find("endpoint"), keys = subscription->find("keys");
  if (endpoint == subscription->end() || !endpoint->is_string() || keys == subscription->end() ||
      !keys->is_object())
    refuse(400, "expected " + expected);
  const PushSettings settings = changed_settings({}, body.value("settings", json::object()));
  check_cameras(m.visitor, settings);
  constexpr std::size_t longest_agent = 300;
  StoredDevice d;
  d.owner = m.visitor.owner();
  d.credential = m.visitor.credential;
  d.name = m.visitor.name;
  d.agent = m.request.header("user-agent").substr(0, longest_agent);
  d.site = site_of(m.request);
  d.endpoint = *endpoint;
  d.p256dh = key_member(*keys, "p256dh");
  d.secret = key_member(*keys, "auth");
  d.created = Utc::system_seconds();
  const auto made = to.devices().add(std::move(d), settings);
  note(m, "add-push-device", {{"device", made->stored.id}, {"service", push_origin(made->stored.endpoint)}});
  return json_response(device_json(m.visitor, *made));
}

Response Api::change_push_device(const Match &m) {
  const auto d = need_device(m);
  const json body = json_body(m.request);
  const PushSettings settings = changed_settings(d->settings, body);
  if (body.contains("cameras")) check_cameras(m.visitor, settings);
  const auto now = services.push->devices().change(d->stored.id, settings);
  if (!now) refuse(404, "there is no device " + m.parts[0]);
  return json_response(device_json(m.visitor, *now));
}

Response Api::remove_push_device(const Match &m) {
  const auto d = need_device(m);
  services.push->remove(d->stored.id);
  note(m, "remove-push-device", {{"device", d->stored.id}, {"of", d->stored.name}});
  return json_response({{"ok", true}});
}

Response Api::test_push_device(const Match &m) {
  const auto d = need_device(m);
  const std::string wrong = services.push->test(d);
  return json_response({{"error", wrong.empty() ? json() : json(wrong)}});
}

} // namespace vigil::monitor
