// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../camera/live_mp4.h"
#include "../camera/properties.h"
#include "api.h"
#include "web_offer.h"

#include "../config/text.h"
#include "common/error.h"
#include "vigil-config.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <set>
#include <utility>

namespace vigil::monitor {

using nlohmann::json;

namespace {

constexpr const char *unanalysed = " is not analysed (detect: {enabled: false} in the configuration)";

std::shared_ptr<Camera> need_camera(Monitor &m, const std::string &name) {
  auto c = m.cameras().find(name);
  if (!c) refuse(404, "there is no camera '" + name + "'");
  return c;
}

GstElement *need_element(const Camera &c, const std::string &name) {
  if (!c.pipeline())
    refuse(503, "camera " + c.config().name + " is not connected: its elements are there when it is");
  if (!c.config().analysed)
    refuse(409, "camera " + c.config().name + unanalysed + ", and has no elements to set");
  GstElement *e = c.pipeline()->element(name);
  if (!e) refuse(404, "the chain of " + c.config().name + " has no element '" + name + "'");
  return e;
}

// Whether there is a shape of this name, and how many there are of its kind.
std::pair<bool, std::size_t> of_kind(const auto &shapes, const std::string &name) {
  return {shapes.count(name) != 0, shapes.size()};
}

json describe(Monitor &m, const Camera &c, GstElement *e) {
  const std::string name = GST_OBJECT_NAME(e);
  const auto &cameras = m.cameras().config().cameras;
  std::map<std::string, Setting> configured;
  if (const auto k = cameras.find(c.config().name); k != cameras.end())
    if (const auto s = k->second.elements.find(name); s != k->second.elements.end()) configured = s->second;
  return describe_element(e, configured, m.cameras().overrides().properties(c.config().name, name));
}

// What a question asks about: the last day where it does not say.
std::pair<double, double> span_of(const Request &r, double now) {
  constexpr double day = 86400;
  const double before = number_of(r, "before").value_or(now);
  const double after = number_of(r, "after").value_or(before - day);
  if (std::abs(after) > 1e11 || std::abs(before) > 1e11)
    refuse(400, "after and before are seconds since 1970");
  return {after, before};
}

} // namespace

void Api::need_saved(const std::shared_future<std::string> &saved) {
  constexpr std::chrono::seconds patience(10);
  if (saved.wait_for(patience) != std::future_status::ready)
    refuse(503, "the change holds, but the disk has not taken it yet; it is tried again until it has");
  if (const std::string &why = saved.get(); !why.empty())
    refuse(507, "the change holds until the program ends, but is not stored: " + why +
                    "; it is tried again until it is");
}

Response Api::live(const Match &m) {
  const Request &r = m.request;
  Hub::ViewerDemand wish;
  if (const auto q = r.query.find("cameras"); q != r.query.end() && !q->second.empty())
    for (std::size_t at = 0; at <= q->second.size();) {
      const std::size_t end = std::min(q->second.find(',', at), q->second.size());
      wish.cameras.insert(q->second.substr(at, end - at));
      at = end + 1;
    }
  if (const auto q = r.query.find("view"); q != r.query.end()) {
    const auto v = view_named(q->second);
    if (!v)
      refuse(400, "there is no view '" + q->second.substr(0, 40) +
                      "'; there are plain, overlay, mask, background, uncovered");
    wish.view = *v;
  }
  const bool uncovered = wish.view == View::uncovered;
  if (uncovered && wish.cameras.empty()) refuse(400, "the view uncovered needs the names of its cameras");
  wish.pictures = integer_of(r, "pictures", 0, 1, 1) != 0;
  wish.height = integer_of(r, "height", 90, 2160, 0);
  wish.visible = m.visitor.cameras;
  for (const std::string &name : wish.cameras)
    if (!wish.visible.has(name)) refuse(404, "there is no camera '" + name + "'");
  const auto place = stream_place(m);
  const json hello = monitor_.call([&] {
    for (const std::string &name : wish.cameras) {
      const auto c = need_camera(monitor_, name);
      if (uncovered) need_uncovered(m.visitor, c->config());
    }
    json cameras = json::array();
    // All of them, as the records that follow: the page of one camera shows the states of the others, too.
    for (const auto &c : monitor_.cameras().all())
      if (wish.visible.has(c->config().name))
        cameras.push_back(monitor_.cameras().describe(c->config().name));
    return json{
        {"kind", "hello"}, {"time", monitor_.utc().now()}, {"version", VIGIL_VERSION}, {"cameras", cameras}};
  });
  if (uncovered)
    for (const std::string &name : wish.cameras) note_uncovered(m, name);
  std::shared_ptr<Hub::Viewer> viewer = monitor_.announcer().hub().join(wish, hello, monitor_.utc().now());
  if (!viewer) refuse(503, "too many viewers; close one");
  Response out;
  out.type = "application/octet-stream";
  out.headers["X-Accel-Buffering"] = "no";
  const auto may_go_on = uncovered ? still_uncovered(m, wish.cameras) : [] { return true; };
  out.stream = [this, viewer, place, may_go_on]() -> Bytes {
    constexpr std::chrono::seconds quiet(5);
    bool ended = false;
    Bytes next = viewer->queue.next(quiet, ended);
    if (!next && !ended) {
      viewer->queue.text("", monitor_.utc().now(), std::make_shared<const std::string>(R"({"kind":"ping"})"));
      next = viewer->queue.next(quiet, ended);
    }
    if (!may_go_on()) return nullptr;
    return next;
  };
  return out;
}

Response Api::cameras(const Match &m) {
  return json_response(monitor_.call([&] {
    json out = json::array();
    for (const auto &c : monitor_.cameras().all())
      if (m.visitor.cameras.has(c->config().name))
        out.push_back(monitor_.cameras().describe(c->config().name));
    return out;
  }));
}

Response Api::camera(const Match &m) {
  return json_response(monitor_.call([&] {
    need_camera(monitor_, m.parts[0]);
    return monitor_.cameras().describe(m.parts[0]);
  }));
}

void Api::need_uncovered(const Visitor &v, const CameraConfig &c) {
  const auto &roles = c.privacy.uncovered_for;
  if (!c.shows("uncovered"))
    refuse(404, "camera " + c.name + " has no uncovered picture: privacy: {uncovered_for} names no role");
  if (std::none_of(roles.begin(), roles.end(),
                   [&](const std::string &r) { return role_of_user(r) == v.role; }))
    refuse(403,
           "the uncovered picture of " + c.name + " is for other roles: privacy: {uncovered_for} names them");
}

void Api::note_uncovered(const Match &m, const std::string &camera) {
  if (uncovered_.begins(camera + " " + who_watches(m) + " " + m.visitor.name, Utc::monotonic_seconds()))
    note(m, "uncovered-view", {{"camera", camera}});
}

std::function<bool()> Api::still_uncovered(const Match &m, const std::set<std::string> &cameras) {
  return [this, cameras, visitor = m.visitor, known = without_body(m.request),
          looked = std::make_shared<double>(Utc::monotonic_seconds())] {
    if (!access_.is_current(visitor, known)) return false;
    constexpr double often = 1;
    const double now = Utc::monotonic_seconds();
    if (now - *looked < often) return true;
    *looked = now;
    try {
      monitor_.call([&] {
        for (const std::string &name : cameras)
          need_uncovered(visitor, need_camera(monitor_, name)->config());
      });
    } catch (...) { // also a main loop that does not answer
      return false;
    }
    return true;
  };
}

Response Api::picture(const Match &m, View v) {
  const auto feed = monitor_.call([&] {
    const auto c = need_camera(monitor_, m.parts[0]);
    if (v == View::uncovered) need_uncovered(m.visitor, c->config());
    if (!c->config().shows(view_names[static_cast<std::size_t>(v)]))
      refuse(404, "camera " + m.parts[0] +
                      (c->config().analysed ? " covers silhouettes, and has the views plain and overlay alone"
                                            : " is not analysed, and has the view plain alone"));
    if (c->pipeline()) c->feed()->plan->once(v);
    return c->pipeline() ? c->feed() : nullptr;
  });
  constexpr std::chrono::seconds patience(2);
  constexpr double old = 0.2; // a picture of just now is good enough
  const auto picture =
      feed ? feed->wait_picture(v, Utc::monotonic_seconds() - old, patience) : CameraFeed::Picture{};
  if (v == View::uncovered) note_uncovered(m, m.parts[0]);
  if (!picture.jpeg)
    refuse(503, "camera " + m.parts[0] + " gives no pictures now; /api/cameras/" + m.parts[0] + " says why");
  Response out;
  out.type = "image/jpeg";
  out.body = *picture.jpeg;
  out.headers["X-Capture-Time"] = json(picture.time).dump();
  return out;
}

Response Api::elements(const Match &m) {
  return json_response(monitor_.call([&] {
    const auto c = need_camera(monitor_, m.parts[0]);
    if (!c->pipeline())
      refuse(503, "camera " + m.parts[0] + " is not connected: its elements are there when it is");
    json elements = json::array();
    std::string launch;
    for (GstElement *e : c->pipeline()->elements()) {
      elements.push_back(describe(monitor_, *c, e));
      launch += (launch.empty() ? "" : " ! ") + launch_text(e);
    }
    return json{{"elements", elements}, {"launch", launch}};
  }));
}

Response Api::set_element(const Match &m) {
  const json body = json_body(m.request);
  const std::string &name = m.parts[0], &element = m.parts[1];
  if (body.empty() || body.size() > 64)
    refuse(400, "expected {\"property\": value, ...} with 1 to 64 properties");
  for (const auto &[p, v] : body.items())
    if (v.is_structured() || (v.is_string() && v.get_ref<const std::string &>().size() > 4096))
      refuse(400, p.substr(0, 80) + " is no single value");
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    const auto c = need_camera(monitor_, name);
    need_element(*c, element);
    ElementSettings wanted;
    for (const auto &[p, v] : body.items())
      if (!v.is_null()) wanted[element][p] = {property_text(v), ""};
    check_settings(wanted); // all or nothing
    for (const auto &[p, v] : body.items()) {
      if (v.is_null())
        monitor_.cameras().overrides().forget_property(name, element, p);
      else
        monitor_.cameras().overrides().set_property(name, element, p, property_text(v));
    }
    monitor_.cameras().apply(name);
    saved = monitor_.cameras().save_overrides();
    const json out = describe(monitor_, *c, need_element(*c, element));
    monitor_.announcer().to_viewers(name, {{"kind", "elements"}, {"camera", name}, {"element", out}});
    return out;
  });
  note(m, "element", {{"camera", name}, {"element", element}, {"properties", body}});
  need_saved(saved);
  return json_response(done);
}

Response Api::set_shape(const Match &m) {
  const std::string &name = m.parts[0], &kind = m.parts[1], &shape = m.parts[2];
  const bool put = m.request.method == "PUT";
  json value;
  if (!is_name(shape)) refuse(400, "'" + shape + "' is no name; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
  if (put) {
    value = json_body(m.request);
    value = kind == "zones"   ? to_json(zone_from(value))
            : kind == "lines" ? to_json(line_from(value))
                              : to_json(mask_from(value));
  }
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    const auto c = need_camera(monitor_, name);
    const CameraConfig &now = c->config();
    const auto [known, there] = kind == "zones"      ? of_kind(now.zones, shape)
                                : kind == "lines"    ? of_kind(now.lines, shape)
                                : kind == "masks"    ? of_kind(now.masks, shape)
                                : kind == "unmasked" ? of_kind(now.unmasked, shape)
                                                     : of_kind(now.privacy.polygons, shape);
    if (!put && !known)
      refuse(404, "there is no " +
                      (kind == "privacy"    ? "private part"
                       : kind == "unmasked" ? "unmasked part"
                                            : kind.substr(0, kind.size() - 1)) +
                      " '" + shape + "'");
    constexpr std::size_t most = 64;
    if (put && !known && there >= most) refuse(400, "a camera has at most 64 of each kind");
    monitor_.cameras().overrides().set_shape(name, kind, shape, value);
    monitor_.cameras().apply(name);
    saved = monitor_.cameras().save_overrides();
    return monitor_.cameras().describe(name);
  });
  note(m, put ? "set-shape" : "delete-shape", {{"camera", name}, {"kind", kind}, {"name", shape}});
  need_saved(saved);
  return json_response(done);
}

Response Api::set_privacy(const Match &m) {
  const std::string &name = m.parts[0];
  const json body = json_body(m.request);
  for (const auto &[key, value] : body.items()) {
    if (key == "fill" ? !value.is_string() || !fill_named(value.get<std::string>())
                      : key != "silhouettes" || !value.is_boolean())
      refuse(400, "expected silhouettes, true or false, or fill, black or pixelate");
  }
  if (body.empty()) refuse(400, "expected silhouettes or fill");
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    const auto c = need_camera(monitor_, name);
    if (body.value("silhouettes", false) && !c->config().record_source.empty())
      refuse(409, silhouettes_of_two_streams);
    if (body.value("silhouettes", false) && !c->config().analysed) refuse(409, silhouettes_need_analysis);
    for (const auto &[key, value] : body.items())
      monitor_.cameras().overrides().set_privacy(name, key, value);
    monitor_.cameras().apply(name);
    saved = monitor_.cameras().save_overrides();
    return monitor_.cameras().describe(name);
  });
  note(m, "privacy", {{"camera", name}, {"privacy", body}});
  need_saved(saved);
  return json_response(done);
}

Response Api::set_switches(const Match &m) {
  const char *expected = "expected enabled, recordings, motion or device_events, true or false";
  const json body = json_body(m.request);
  for (const auto &[key, value] : body.items())
    if ((key != "enabled" && key != "recordings" && key != "motion" && key != "device_events") ||
        !value.is_boolean())
      refuse(400, expected);
  if (body.empty()) refuse(400, expected);
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    if (!need_camera(monitor_, m.parts[0])->config().analysed && body.value("motion", false))
      refuse(409, "camera " + m.parts[0] + unanalysed + ", and makes no events of motion");
    for (const auto &[key, value] : body.items())
      monitor_.cameras().overrides().set_switch(m.parts[0], key, value.get<bool>());
    monitor_.cameras().apply(m.parts[0]);
    saved = monitor_.cameras().save_overrides();
    return monitor_.cameras().describe(m.parts[0]);
  });
  note(m, "switches", {{"camera", m.parts[0]}, {"switches", body}});
  need_saved(saved);
  return json_response(done);
}

Response Api::forget_overrides(const Match &m) {
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    need_camera(monitor_, m.parts[0]);
    monitor_.cameras().overrides().forget(m.parts[0]);
    monitor_.cameras().apply(m.parts[0]);
    saved = monitor_.cameras().save_overrides();
    return monitor_.cameras().describe(m.parts[0]);
  });
  note(m, "forget-overrides", {{"camera", m.parts[0]}});
  need_saved(saved);
  return json_response(done);
}

Response Api::activity(const Match &m) {
  const auto feed = monitor_.call([&] { return need_camera(monitor_, m.parts[0])->feed(); });
  json samples = json::array();
  for (const auto &s : feed->activity.samples()) samples.push_back(to_json(s));
  return json_response({{"camera", m.parts[0]}, {"samples", samples}});
}

Response Api::heat_map(const Match &m) {
  const auto [after, before] = span_of(m.request, monitor_.utc().now());
  monitor_.call([&] { need_camera(monitor_, m.parts[0]); });
  return json_response({{"camera", m.parts[0]},
                        {"after", after},
                        {"before", before},
                        {"columns", EventStore::heat_columns},
                        {"rows", EventStore::heat_rows},
                        {"counts", monitor_.storage().reader().heat(m.parts[0], after, before)}});
}

Response Api::crossings(const Match &m) {
  const auto [after, before] = span_of(m.request, monitor_.utc().now());
  json lines = json::object();
  const auto line = [&](const std::string &name) -> json & {
    if (!lines.contains(name)) lines[name] = {{"in", 0}, {"out", 0}, {"quarters", json::array()}};
    return lines[name];
  };
  monitor_.call([&] {
    for (const auto &[name, shape] : need_camera(monitor_, m.parts[0])->config().lines) line(name);
  });
  for (const auto &[at, n] : monitor_.storage().reader().crossings(m.parts[0], after, before)) {
    json &of = line(at.line);
    of["in"] = of["in"].get<std::int64_t>() + n.in;
    of["out"] = of["out"].get<std::int64_t>() + n.out;
    of["quarters"].push_back({{"time", at.quarter * EventStore::quarter}, {"in", n.in}, {"out", n.out}});
  }
  return json_response({{"camera", m.parts[0]}, {"after", after}, {"before", before}, {"lines", lines}});
}

std::shared_ptr<Recorder> Api::stream_asked(const Match &m) {
  const auto asked = m.request.query.find("stream");
  const std::string stream = asked == m.request.query.end() ? "record" : asked->second;
  if (stream != "record" && stream != "detect")
    refuse(400, "there is no stream '" + stream.substr(0, 40) + "'; there are record, detect");
  const bool recorded = stream == "record", uncovered = integer_of(m.request, "uncovered", 0, 1, 0) != 0;
  const auto out = monitor_.call([&] {
    const auto c = need_camera(monitor_, m.parts[0]);
    if (!uncovered) return recorded ? c->recorder() : c->detect_stream();
    need_uncovered(m.visitor, c->config());
    const UncoveredStream &of = c->uncovered(recorded);
    if (of.missing())
      refuse(409, "camera " + m.parts[0] +
                      " sends neither H.264 nor H.265: it is uncovered as tiles alone, by "
                      "/api/live?view=uncovered&cameras=" +
                      m.parts[0]);
    return of.recorder();
  });
  if (uncovered) note_uncovered(m, m.parts[0]);
  return out;
}

// A change of the configuration ends the stream itself, and with it each view.
std::function<bool()> Api::still_allowed(const Match &m) {
  return [this, visitor = m.visitor, known = without_body(m.request)] {
    return access_.is_current(visitor, known);
  };
}

Response Api::live_mp4(const Match &m) {
  struct Watching {
    std::shared_ptr<Recorder> recorder;
    std::shared_ptr<LiveMp4> live;
    ~Watching() {
      if (live) recorder->unwatch(live);
    }
  };
  const auto place = stream_place(m);
  const auto watching = std::make_shared<Watching>();
  const bool sound = integer_of(m.request, "sound", 0, 1, 0) != 0;
  watching->recorder = stream_asked(m);
  if (watching->recorder)
    watching->live =
        std::dynamic_pointer_cast<LiveMp4>(watching->recorder->watch([&](const Recorder::Stream &of) {
          return std::make_shared<LiveMp4>(of.video, sound ? of.sound_stored : nullptr);
        }));
  if (!watching->live)
    refuse(
        503,
        "camera " + m.parts[0] +
            " has no stream to show now: it is not connected, sixteen watch it already, or it sends pictures "
            "that are not compressed while its recordings are off");
  Response out;
  out.type = watching->live->type();
  out.stream = [watching, place, allowed = still_allowed(m)] {
    const Bytes next = watching->live->next();
    return allowed() ? next : nullptr;
  };
  return out;
}

} // namespace vigil::monitor
