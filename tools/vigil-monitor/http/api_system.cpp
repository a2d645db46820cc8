// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../process.h"
#include "api.h"
#include "description.h"
#include "metrics.h"

#include "vigil-config.h"

#include <gst/gst.h>

namespace vigil::monitor {

using nlohmann::json;

Response Api::configuration(const Match &) {
  return json_response(monitor_.call([&] { return monitor_.configuration(); }));
}

Response Api::overrides(const Match &) {
  return json_response(monitor_.call([&] { return monitor_.overrides().all(); }));
}

Response Api::reload(const Match &) {
  const auto names = monitor_.call([&] { return monitor_.reload(); });
  return json_response({{"ok", true}, {"restarted", names}});
}

Response Api::stats(const Match &) {
  json out = monitor_.call([&] {
    json cameras = json::array();
    for (const auto &c : monitor_.cameras()) cameras.push_back(c->stats());
    return json{{"cameras", cameras}, {"storage", monitor_.storage_stats()}};
  });
  const ProcessState p = process_state();
  const EventStore &store = monitor_.storage().events();
  constexpr int most_letters = 10000;
  out.update({{"time", monitor_.utc().now()},
              {"uptime_seconds", monitor_.uptime()},
              {"cpu_seconds", p.cpu_seconds},
              {"memory_bytes", p.memory_bytes},
              {"threads", p.threads},
              {"descriptors", p.descriptors},
              {"viewers", monitor_.hub().viewers()},
              {"queues",
               {{"writer", {{"length", monitor_.writer().length()}, {"limit", monitor_.writer().limit()}}},
                {"mqtt_outbox", {{"length", store.waiting("mqtt")}, {"limit", most_letters}}},
                {"webhook", {{"length", store.waiting("webhook")}, {"limit", most_letters}}}}},
              {"gpu", nullptr},
              {"mqtt", mqtt_state()}});
  return json_response(out);
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
       {"role", m.role == Role::admin ? "admin" : "view"},
       {"signed_in", tokens_.role(cookie(m.request, tokens_.cookie_name()).value_or("")) != Role::none}});
}

Response Api::description(const Match &) {
  Response out;
  out.body = api_description;
  return out;
}

Response Api::login(const Match &m) {
  const json body = json_body(m.request);
  const auto token = body.find("token");
  if (body.size() != 1 || token == body.end() || !token->is_string())
    refuse(400, "expected {\"token\": \"...\"}");
  const double now = Utc::monotonic_seconds();
  if (!tokens_.may_try(now)) refuse(429, "too many wrong tokens; wait a minute");
  const Role role = tokens_.role(token->get_ref<const std::string &>());
  if (role == Role::none) {
    tokens_.failed(now);
    refuse(401, "this is no token of this server");
  }
  Response out = json_response({{"role", role == Role::admin ? "admin" : "view"}});
  const bool tls = !http_.certificate.empty() || m.request.header("x-forwarded-proto") == "https";
  out.headers["Set-Cookie"] = tokens_.cookie_name() + "=" + token->get<std::string>() +
                              "; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000" +
                              (tls ? "; Secure" : "");
  return out;
}

Response Api::logout(const Match &) {
  Response out = json_response({{"ok", true}});
  out.headers["Set-Cookie"] = tokens_.cookie_name() + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
  return out;
}

Response Api::metrics(const Match &m) {
  Response out;
  out.type = "text/plain; version=0.0.4; charset=utf-8";
  const json cameras = monitor_.call([&] {
    json list = json::array();
    for (const auto &c : monitor_.cameras()) list.push_back(monitor_.describe(c->config().name));
    return list;
  });
  out.body = prometheus_text(json::parse(stats(m).body), cameras);
  return out;
}

Response Api::health(const Match &) {
  monitor_.call([] {}); // the main loop turns
  Response out;
  out.type = "text/plain; charset=utf-8";
  out.body = "ok\n";
  return out;
}

} // namespace vigil::monitor
