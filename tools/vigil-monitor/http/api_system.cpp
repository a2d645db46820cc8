// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../config/secrets.h"
#include "../monitor_services.h"
#include "../process.h"
#include "api.h"
#include "description.h"
#include "metrics.h"

#include "common/error.h"
#include "vigil-config.h"

#include <chrono>
#include <cmath>
#include <gst/gst.h>
#include <iterator>

namespace vigil::monitor {

using nlohmann::json;

namespace {

// Without the cameras that the visitor may not see; `all` has an object of cameras.
json of_visible(json all, const VisibleCameras &visible) {
  json &cameras = all["cameras"];
  for (auto c = cameras.begin(); c != cameras.end();)
    c = visible.has(c.key()) ? std::next(c) : cameras.erase(c);
  return all;
}

} // namespace

Response Api::configuration(const Match &m) {
  return json_response(
      of_visible(monitor_.call([&] { return monitor_.cameras().configuration(); }), m.visitor.cameras));
}

Response Api::overrides(const Match &m) {
  json all =
      of_visible(monitor_.call([&] { return monitor_.cameras().overrides().all(); }), m.visitor.cameras);
  if (const auto added = all.find("added"); added != all.end())
    for (auto c = added->begin(); c != added->end();) {
      for (auto &[key, source] : c->items()) source = shown_source(source.get<std::string>());
      c = m.visitor.cameras.has(c.key()) ? std::next(c) : added->erase(c);
    }
  return json_response(all);
}

Response Api::audit(const Match &m) {
  return json_response(
      {{"entries", audit_.last(static_cast<std::size_t>(integer_of(m.request, "limit", 1, 1000, 100)))}});
}

Response Api::reload(const Match &m) {
  const auto names = monitor_.call([&] { return services.read_again(); });
  note(m, "reload", {{"restarted", names}});
  return json_response({{"ok", true}, {"restarted", names}});
}

Response Api::test_notify(const Match &m) {
  note(m, "test-notify");
  return json_response({{"results", services.test_notices()}});
}

json Api::figures(const VisibleCameras &visible) {
  json out = monitor_.call([&] {
    json cameras = json::array();
    for (const auto &c : monitor_.cameras().all())
      if (visible.has(c->config().name)) cameras.push_back(c->stats());
    disk_.set_limits(monitor_.cameras().config().storage);
    return json{{"cameras", cameras}, {"detectors", monitor_.services().detectors.describe()}};
  });
  constexpr std::chrono::milliseconds patience(500);
  json disk = disk_.get(patience);
  if (disk.is_null()) refuse(503, "the disk has not answered since the start; try again");
  if (!visible.all()) // these name files and events of any camera
    disk["storage"].update({{"next", nullptr}, {"last", nullptr}, {"set_aside", json::array()}});
  const ProcessState p = process_state();
  constexpr int most_letters = 10000;
  out.update({{"storage", disk["storage"]},
              {"time", monitor_.utc().now()},
              {"uptime_seconds", monitor_.loop().uptime()},
              {"cpu_seconds", p.cpu_seconds},
              {"memory_bytes", p.memory_bytes},
              {"threads", p.threads},
              {"descriptors", p.descriptors},
              {"viewers", monitor_.announcer().hub().viewers()},
              {"webrtc", viewers_.describe()},
              {"queues",
               {{"writer", {{"length", monitor_.queue().length()}, {"limit", monitor_.queue().limit()}}},
                {"mqtt_outbox", {{"length", disk["mqtt_outbox"]}, {"limit", most_letters}}},
                {"webhook", {{"length", disk["webhook"]}, {"limit", most_letters}}}}},
              {"gpu", nullptr},
              {"mqtt", services.mqtt_state()},
              {"rtsp", services.rtsp_state()},
              {"label_codebook", visible.all() ? services.codebook_state() : json()}});
  // A path and a reason are for those who see all cameras.
  if (!visible.all()) out["detectors"] = json::array();
  return out;
}

Response Api::stats(const Match &m) {
  return json_response(figures(m.visitor.cameras));
}

Response Api::version(const Match &m) {
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  json elements = json::array();
  for (const std::string &name : chain_elements())
    if (GstElementFactory *f = gst_element_factory_find(name.c_str())) {
      elements.push_back(name);
      gst_object_unref(f);
    }
  return json_response(
      {{"version", VIGIL_VERSION},
       {"gstreamer", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro)},
       {"elements", elements},
       {"role", role_name(m.visitor.role)},
       {"user", m.visitor.user ? json(m.visitor.name) : json()},
       {"session", m.visitor.session.empty() ? json() : json(m.visitor.session)},
       {"signed_in", !m.visitor.session.empty()}});
}

Response Api::description(const Match &) {
  Response out;
  out.body = api_description;
  return out;
}

Response Api::metrics(const Match &m) {
  Response out;
  out.type = "text/plain; version=0.0.4; charset=utf-8";
  const json cameras = monitor_.call([&] {
    json list = json::array();
    for (const auto &c : monitor_.cameras().all())
      if (m.visitor.cameras.has(c->config().name))
        list.push_back(monitor_.cameras().describe(c->config().name));
    return list;
  });
  out.body = prometheus_text(figures(m.visitor.cameras), cameras, access_.failed());
  return out;
}

// Waits for nothing: a probe gets its answer whatever else is asked.
Response Api::health(const Match &) {
  constexpr double patience = 10;
  if (const double quiet = monitor_.loop().since_last_turn(); quiet > patience)
    refuse(503, vigil::text("the main loop has not turned for ", std::floor(quiet), " seconds"));
  Response out;
  out.type = "text/plain; charset=utf-8";
  out.body = "ok\n";
  return out;
}

} // namespace vigil::monitor
