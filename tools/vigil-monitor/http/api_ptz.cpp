// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras that turn: moves, presets, home. Each request waits for the camera on its own thread.
#include "api.h"

#include "../printable.h"
#include "common/error.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {

using nlohmann::json;

namespace {

// f(OnvifLink &) on the main loop. The camera may be taken away between two calls.
template <class F>
auto with_link(Monitor &m, const std::string &camera, F f) {
  return m.call([&] {
    const auto c = m.cameras().find(camera);
    if (!c) refuse(404, "there is no camera '" + camera + "'");
    return f(*c->onvif());
  });
}

std::shared_ptr<PtzHead> need_head(Monitor &m, const std::string &camera) {
  auto head = with_link(m, camera, [](const OnvifLink &link) { return link.ptz(); });
  if (!head) refuse(404, "camera " + camera + " does not turn: it has no ONVIF device, or is switched off");
  const auto can = head->abilities();
  if (!can) refuse(503, "the device of camera " + camera + " has not said yet whether it turns");
  if (!can->any()) refuse(400, "camera " + camera + " does not turn: its device has no profile that does");
  return head;
}

double speed_of(const json &body, const char *name) {
  const auto v = body.find(name);
  if (v == body.end()) return 0;
  if (!v->is_number() || !(std::abs(v->get<double>()) <= 1))
    refuse(400, std::string(name) + " is no number from -1 to 1");
  return v->get<double>();
}

std::string token_of(const json &body, const char *name, const std::string &expected) {
  const std::string token = text_member(body, name, expected);
  if (!is_ptz_token(token)) refuse(400, "'" + printable(token, 80) + "' is no preset");
  return token;
}

// Sends an order that turns the camera. Before it, the model of the view that it leaves is kept.
template <class F>
void turn(Monitor &m, const std::string &camera, const std::string &preset, F order) {
  if (const auto keep = with_link(m, camera, [&](OnvifLink &link) { return link.turns(preset); })) keep();
  try {
    order();
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::io) // else it may turn all the same
      with_link(m, camera, [](OnvifLink &link) { link.refused(); });
    throw;
  }
}

} // namespace

Response Api::ptz(const Match &m) {
  const auto head = need_head(monitor_, m.parts[0]);
  json presets = json::array();
  const auto all = head->presets();
  const auto [at, models] = with_link(
      monitor_, m.parts[0], [](const OnvifLink &link) { return std::pair(link.at(), link.models()); });
  for (const PtzPreset &p : all)
    presets.push_back(
        {{"token", p.token}, {"name", p.name}, {"model", models.has(p.token)}, {"here", p.token == at}});
  const auto can = head->abilities().value_or(PtzAbilities{});
  return json_response({{"camera", m.parts[0]},
                        {"pan_tilt", can.pan_tilt},
                        {"zoom", can.zoom},
                        {"home", can.home},
                        {"moving", head->moving()},
                        {"presets", presets}});
}

Response Api::move_ptz(const Match &m) {
  const std::string expected = R"({"pan": -1..1, "tilt": -1..1, "zoom": -1..1})";
  const json body = json_body(m.request);
  only_members(body, {"pan", "tilt", "zoom"}, expected);
  const PtzSpeed speed{speed_of(body, "pan"), speed_of(body, "tilt"), speed_of(body, "zoom")};
  const auto head = need_head(monitor_, m.parts[0]);
  const bool goes_on = head->moving();
  turn(monitor_, m.parts[0], "", [&] { head->move(speed); });
  if (!goes_on) note(m, "ptz-move", {{"camera", m.parts[0]}, {"speed", body}});
  return json_response({{"camera", m.parts[0]}, {"seconds", PtzOrders::seconds_of_move}});
}

Response Api::stop_ptz(const Match &m) {
  only_members(json_body(m.request), {}, "{}");
  const auto head = need_head(monitor_, m.parts[0]);
  head->stop();
  note(m, "ptz-stop", {{"camera", m.parts[0]}});
  return json_response({{"camera", m.parts[0]}});
}

Response Api::send_ptz(const Match &m) {
  const std::string expected = R"({"preset": "..."} or {"home": true})";
  const json body = json_body(m.request);
  only_members(body, {"preset", "home"}, expected);
  const bool home = body.contains("home");
  if (home == body.contains("preset") || (home && body["home"] != true)) refuse(400, "expected " + expected);
  const std::string preset = home ? "" : token_of(body, "preset", expected);
  const auto head = need_head(monitor_, m.parts[0]);
  turn(monitor_, m.parts[0], preset, [&] {
    if (home)
      head->go_home();
    else
      head->go_to(preset);
  });
  note(m, "ptz-go", {{"camera", m.parts[0]}, {home ? "home" : "preset", body[home ? "home" : "preset"]}});
  return json_response({{"camera", m.parts[0]}});
}

Response Api::set_preset(const Match &m) {
  const std::string expected = R"({"name": "...", "preset": "..."}: one of them, or both)";
  const json body = json_body(m.request);
  only_members(body, {"name", "preset"}, expected);
  const bool again = body.contains("preset");
  if (!again && !body.contains("name")) refuse(400, "expected " + expected);
  const std::string preset = again ? token_of(body, "preset", expected) : "";
  const std::string name = body.contains("name") ? text_member(body, "name", expected) : "";
  constexpr std::size_t longest = 64;
  if ((!again && name.empty()) || name.size() > longest || printable(name) != name)
    refuse(400, "the name of a preset has 1 to 64 bytes, without control characters");
  const auto head = need_head(monitor_, m.parts[0]);
  const std::string token = head->set_preset(name, preset);
  const auto models = with_link(monitor_, m.parts[0], [&](OnvifLink &link) {
    link.is_at(token);
    return link.models();
  });
  models.remove(token); // of what the preset showed before
  note(m, "ptz-set-preset", {{"camera", m.parts[0]}, {"preset", token}, {"name", name}});
  return json_response({{"camera", m.parts[0]}, {"preset", token}});
}

Response Api::remove_preset(const Match &m) {
  const std::string &preset = m.parts[1];
  if (!is_ptz_token(preset)) refuse(404, "there is no preset '" + printable(preset, 80) + "'");
  const auto head = need_head(monitor_, m.parts[0]);
  head->remove_preset(preset);
  const auto models = with_link(monitor_, m.parts[0], [&](OnvifLink &link) {
    link.left(preset);
    return link.models();
  });
  models.remove(preset);
  note(m, "ptz-remove-preset", {{"camera", m.parts[0]}, {"preset", preset}});
  return json_response({{"removed", preset}});
}

} // namespace vigil::monitor
