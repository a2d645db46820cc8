// SPDX-License-Identifier: LGPL-2.1-or-later
#include "api.h"

#include "../config/text.h"
#include "common/error.h"

#include <algorithm>

namespace vigil::monitor {

using nlohmann::json;

struct Api::Route {
  const char *method, *path; // {} stands for one part
  Role needs;
  Scope scope;
  Response (Api::*answer)(const Match &);
};

const std::vector<Api::Route> &Api::routes() {
  static const std::vector<Route> all = {
      {"GET", "/api/live", Role::view, Scope::own, &Api::live},
      {"GET", "/api/cameras", Role::view, Scope::own, &Api::cameras},
      {"POST", "/api/cameras", Role::admin, Scope::all, &Api::add_camera},
      {"GET", "/api/cameras/{}", Role::view, Scope::camera, &Api::camera},
      {"PATCH", "/api/cameras/{}", Role::admin, Scope::camera, &Api::rename_camera},
      {"DELETE", "/api/cameras/{}", Role::admin, Scope::camera, &Api::remove_camera},
      {"GET", "/api/cameras/{}/live.mp4", Role::view, Scope::camera, &Api::live_mp4},
      {"POST", "/api/cameras/{}/whep", Role::view, Scope::camera, &Api::begin_view},
      {"PATCH", "/api/cameras/{}/whep/{}", Role::view, Scope::camera, &Api::add_candidates},
      {"DELETE", "/api/cameras/{}/whep/{}", Role::view, Scope::camera, &Api::end_view},
      {"POST", "/api/cameras/{}/talk", Role::operate, Scope::camera, &Api::begin_talk},
      {"PATCH", "/api/cameras/{}/talk/{}", Role::operate, Scope::camera, &Api::add_candidates_of_talk},
      {"DELETE", "/api/cameras/{}/talk/{}", Role::operate, Scope::camera, &Api::end_talk},
      {"GET", "/api/cameras/{}/elements", Role::view, Scope::camera, &Api::elements},
      {"PATCH", "/api/cameras/{}/elements/{}", Role::admin, Scope::camera, &Api::set_element},
      {"PUT", "/api/cameras/{}/{}/{}", Role::admin, Scope::camera, &Api::set_shape},
      {"DELETE", "/api/cameras/{}/{}/{}", Role::admin, Scope::camera, &Api::set_shape},
      {"PATCH", "/api/cameras/{}/privacy", Role::admin, Scope::camera, &Api::set_privacy},
      {"PATCH", "/api/cameras/{}/switches", Role::operate, Scope::camera, &Api::set_switches},
      {"GET", "/api/cameras/{}/ptz", Role::operate, Scope::camera, &Api::ptz},
      {"POST", "/api/cameras/{}/ptz/move", Role::operate, Scope::camera, &Api::move_ptz},
      {"POST", "/api/cameras/{}/ptz/stop", Role::operate, Scope::camera, &Api::stop_ptz},
      {"POST", "/api/cameras/{}/ptz/go", Role::operate, Scope::camera, &Api::send_ptz},
      {"POST", "/api/cameras/{}/ptz/presets", Role::operate, Scope::camera, &Api::set_preset},
      {"DELETE", "/api/cameras/{}/ptz/presets/{}", Role::operate, Scope::camera, &Api::remove_preset},
      {"DELETE", "/api/cameras/{}/overrides", Role::admin, Scope::camera, &Api::forget_overrides},
      {"GET", "/api/cameras/{}/activity", Role::view, Scope::camera, &Api::activity},
      {"GET", "/api/cameras/{}/heatmap", Role::view, Scope::camera, &Api::heat_map},
      {"GET", "/api/cameras/{}/crossings", Role::view, Scope::camera, &Api::crossings},
      {"GET", "/api/cameras/{}/search", Role::view, Scope::camera, &Api::search_motion},
      {"GET", "/api/cameras/{}/restless", Role::view, Scope::camera, &Api::restless},
      {"GET", "/api/cameras/{}/recording.mp4", Role::view, Scope::camera, &Api::recording},
      {"GET", "/api/cameras/{}/preview", Role::view, Scope::camera, &Api::preview},
      {"GET", "/api/cameras/{}/timeline", Role::view, Scope::camera, &Api::timeline},
      {"GET", "/api/cameras/{}/latest.jpg", Role::view, Scope::camera, nullptr},
      {"GET", "/api/cameras/{}/overlay.jpg", Role::view, Scope::camera, nullptr},
      {"GET", "/api/cameras/{}/mask.jpg", Role::view, Scope::camera, nullptr},
      {"GET", "/api/cameras/{}/background.jpg", Role::view, Scope::camera, nullptr},
      {"GET", "/api/cameras/{}/uncovered.jpg", Role::view, Scope::camera,
       nullptr}, // need_uncovered() looks again
      {"GET", "/api/exports", Role::view, Scope::own, &Api::exports},
      {"POST", "/api/exports", Role::operate, Scope::own, &Api::add_export},
      {"GET", "/api/exports/{}", Role::view, Scope::own, &Api::one_export},
      {"DELETE", "/api/exports/{}", Role::operate, Scope::own, &Api::remove_export},
      {"GET", "/api/exports/{}/file", Role::none, Scope::own, &Api::export_file}, // a token or a link
      {"GET", "/api/exports/{}/link", Role::operate, Scope::own, &Api::export_link},
      {"GET", "/api/events", Role::view, Scope::own, &Api::events},
      {"POST", "/api/events/seen", Role::view, Scope::own, &Api::mark_many},
      {"GET", "/api/events/{}", Role::view, Scope::event, &Api::event},
      {"DELETE", "/api/events/{}", Role::admin, Scope::event, &Api::remove_event},
      {"GET", "/api/events/{}/thumbnail.jpg", Role::view, Scope::event, &Api::thumbnail},
      {"GET", "/api/events/{}/clip.mp4", Role::view, Scope::event, &Api::clip},
      {"GET", "/api/events/{}/similar", Role::view, Scope::event, &Api::similar},
      {"POST", "/api/events/{}/retain", Role::operate, Scope::event, &Api::retain},
      {"POST", "/api/events/{}/seen", Role::view, Scope::event, &Api::seen},
      {"DELETE", "/api/events/{}/seen", Role::view, Scope::event, &Api::unseen},
      {"POST", "/api/events/{}/label", Role::operate, Scope::event, &Api::label_event},
      {"GET", "/api/labels", Role::view, Scope::own, &Api::labels},
      {"POST", "/api/labels", Role::operate, Scope::own, &Api::label_events},
      {"GET", "/api/labels/groups", Role::operate, Scope::own, &Api::label_groups},
      {"POST", "/api/labels/codebook", Role::admin, Scope::all, &Api::make_codebook},
      {"DELETE", "/api/labels", Role::admin, Scope::all, &Api::forget_label},
      {"GET", "/api/labels/export", Role::admin, Scope::all, &Api::export_labels},
      {"POST", "/api/labels/import", Role::admin, Scope::all, &Api::import_labels},
      {"DELETE", "/api/labels/{}", Role::admin, Scope::all, &Api::forget_label},
      {"GET", "/api/config", Role::view, Scope::own, &Api::configuration},
      {"GET", "/api/config/cameras.yaml", Role::admin, Scope::all, &Api::export_cameras},
      {"POST", "/api/onvif/search", Role::admin, Scope::all, &Api::search_devices},
      {"POST", "/api/onvif/device", Role::admin, Scope::all, &Api::look_at_device},
      {"POST", "/api/streams/look", Role::admin, Scope::all, &Api::look_at_streams},
      {"GET", "/api/overrides", Role::view, Scope::own, &Api::overrides},
      {"GET", "/api/audit", Role::admin, Scope::all, &Api::audit},
      {"POST", "/api/reload", Role::admin, Scope::all, &Api::reload},
      {"POST", "/api/notify/test", Role::admin, Scope::all, &Api::test_notify},
      {"GET", "/api/stats", Role::view, Scope::own, &Api::stats},
      {"GET", "/api/version", Role::view, Scope::none, &Api::version},
      {"GET", "/api/openapi.json", Role::view, Scope::none, &Api::description},
      {"GET", "/api/login", Role::none, Scope::none, &Api::ways_to_sign_in},
      {"POST", "/api/login", Role::none, Scope::none, &Api::login},
      {"POST", "/api/logout", Role::none, Scope::none, &Api::logout},
      {"POST", "/api/password", Role::view, Scope::none, &Api::set_password},
      {"GET", "/api/sessions", Role::view, Scope::none, &Api::sessions},
      {"DELETE", "/api/sessions/{}", Role::view, Scope::none, &Api::end_session},
      {"GET", "/api/push", Role::view, Scope::own, &Api::push_devices},
      {"POST", "/api/push/devices", Role::view, Scope::own, &Api::add_push_device},
      {"PATCH", "/api/push/devices/{}", Role::view, Scope::own, &Api::change_push_device},
      {"DELETE", "/api/push/devices/{}", Role::view, Scope::own, &Api::remove_push_device},
      {"POST", "/api/push/devices/{}/test", Role::view, Scope::own, &Api::test_push_device},
      {"GET", "/api/users", Role::admin, Scope::all, &Api::users},
      {"POST", "/api/users", Role::admin, Scope::all, &Api::add_user},
      {"PATCH", "/api/users/{}", Role::admin, Scope::all, &Api::change_user},
      {"DELETE", "/api/users/{}", Role::admin, Scope::all, &Api::remove_user},
      {"GET", "/metrics", Role::view, Scope::own, &Api::metrics},
      {"GET", "/healthz", Role::none, Scope::none, &Api::health},
  };
  return all;
}

namespace {

std::vector<std::string> parts_of(const std::string &path) {
  std::vector<std::string> out;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    out.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Response wrong_method(const Request &r, const std::string &allowed) {
  Response out = error_response(405, r.method.substr(0, 40) + " is not possible here");
  out.headers["Allow"] = allowed;
  return out;
}

} // namespace

Api::Api(Monitor &m, Access &access, AuditLog &audit, LabelBook &labels, std::string page)
    : monitor_(m), access_(access), audit_(audit), labels_(labels),
      viewers_(m.cameras().config().http.webrtc, log_line),
      talks_(m.cameras().config().http.webrtc, log_line), http_(m.cameras().config().http),
      page_(std::move(page)), disk_(m) {
  monitor_.exports().on_end = [this](const ExportJob &job) { note_export(job); };
}

void Api::note_wrong(const Request &r, const char *what, const std::string &by, json details) {
  const std::string forwarded = r.header("x-forwarded-for");
  log_line(std::string("wrong ") + what + " from " + r.client +
           (forwarded.empty() ? "" : " for " + forwarded.substr(0, 80)) + " (" + by + ")");
  note(r, Visitor(), (std::string("wrong-") + what).c_str(), std::move(details));
}

void Api::wrong_token(const Request &r, const char *by, const std::string &repeated) {
  const auto verdict = access_.failures.count(r.network, Utc::monotonic_seconds(), repeated);
  if (verdict.announce) note_wrong(r, "token", by, {{"by", by}});
  if (verdict.too_many)
    refuse(429, "too many wrong tokens from there; wait a minute, a right one is taken at once");
}

void Api::note(const Request &r, const Visitor &who, const char *what, json details) {
  json line = {{"time", monitor_.utc().now()},
               {"who", who.name},
               {"role", role_name(who.role)},
               {"from", r.client},
               {"what", what}};
  if (who.user) line["user"] = true;
  if (const std::string f = r.header("x-forwarded-for"); !f.empty()) line["forwarded_for"] = f.substr(0, 80);
  if (!details.empty()) line["details"] = details;
  if (who.role != Role::none)
    log_line(who.name + " from " + r.client + ": " + what +
             (details.empty() ? "" : " " + json_text(details)));
  audit_.add(line);
}

void Api::note(const Match &m, const char *what, json details) {
  note(m.request, m.visitor, what, std::move(details));
}

void Api::check_scope(Scope scope, const Match &m) {
  const VisibleCameras &visible = m.visitor.cameras;
  if (visible.all()) return;
  if (scope == Scope::camera && !visible.has(m.parts[0]))
    refuse(404, "there is no camera '" + m.parts[0] + "'");
  if (scope == Scope::event && !visible.has(need_event(m.parts[0]).camera))
    refuse(404, "there is no event " + m.parts[0]);
  if (scope == Scope::all) refuse(403, "this is for those who may see all cameras");
}

std::shared_ptr<void> Api::stream_place(const Match &m) {
  auto place = streams_.take(who_watches(m), Streams::most_of_one);
  if (!place) refuse(503, vigil::text(Streams::most_of_one, " live streams of yours are open; close one"));
  return place;
}

Response Api::handle(const Request &r) {
  try {
    return dispatch(r);
  } catch (const HttpError &e) {
    return error_response(e.status, e.what);
  } catch (const Error &e) {
    const bool request = e.kind() == Error::Kind::bad_setting || e.kind() == Error::Kind::bad_data;
    return error_response(request ? 400 : 503, mask_credentials(e.what()));
  } catch (const std::exception &e) {
    return error_response(503, mask_credentials(e.what()));
  }
}

Response Api::dispatch(const Request &r) {
  if (const std::string wrong = wrong_site(r, http_.hosts); !wrong.empty()) refuse(403, wrong);
  const std::string method =
      r.method == "HEAD" ? "GET" : r.method; // libmicrohttpd leaves the body of HEAD out
  const auto parts = parts_of(r.path);
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) refuse(404, "there is no such thing");
  const Route *found = nullptr;
  std::string allowed; // methods of this path
  std::vector<std::string> values;
  for (const Route &route : routes()) {
    static thread_local std::vector<std::string> wanted;
    wanted = parts_of(route.path);
    if (wanted.size() != parts.size()) continue;
    std::vector<std::string> here;
    bool match = true;
    for (std::size_t i = 0; i < parts.size() && match; i++) {
      if (wanted[i] == "{}")
        here.push_back(parts[i]);
      else
        match = wanted[i] == parts[i];
    }
    if (match && std::string_view(route.path) == "/api/cameras/{}/{}/{}" && here[1] != "zones" &&
        here[1] != "lines" && here[1] != "masks" && here[1] != "unmasked" && here[1] != "privacy")
      match = false;
    if (!match) continue;
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
    if (std::string_view(route.method) == "GET") allowed += ", HEAD";
    if (method != route.method) continue;
    found = &route;
    values = here;
    break;
  }
  if (!found && !allowed.empty()) return wrong_method(r, allowed);
  if (!found) {
    if (r.path.starts_with("/api/") || r.path == "/api") refuse(404, "there is no " + r.path.substr(0, 80));
    if (method != "GET") return wrong_method(r, "GET, HEAD");
    return page_.file(r); // the page itself holds no secrets: it shows the login
  }
  const Visitor visitor = access_.visitor(r);
  // A browser repeats its cookie of before the program's restart with each request: that is no guess.
  if (found->needs != Role::none && visitor.wrong && !visitor.old_session) wrong_token(r, "Authorization");
  if (found->needs != Role::none && visitor.role == Role::none) {
    if (visitor.old_session) wrong_token(r, "cookie", r.header("cookie"));
    Response out = error_response(
        401, "a token is needed, or a user and a password: POST them to /api/login, or send Authorization: "
             "Bearer TOKEN");
    // The next request has this machine's role again. Elsewhere a late answer could take a new cookie away.
    if (visitor.old_session && access_.is_local(r)) out.headers["Set-Cookie"] = access_.no_cookie(r);
    return out;
  }
  if (visitor.role < found->needs)
    refuse(403, found->needs == Role::admin
                    ? "this needs the admin token, or a user who is admin"
                    : "this needs the admin token, or a user who is operator or admin");
  for (const std::string &v : values)
    if (v.empty() || v.size() > 80) refuse(404, "there is no such thing");
  const Match match{r, values, visitor};
  check_scope(found->scope, match);
  const std::string &last = parts.back();
  Response out =
      found->answer
          ? (this->*found->answer)(match)
          : picture(match, last == "latest.jpg" ? View::plain : *view_named(last.substr(0, last.find('.'))));
  out.trusted = out.trusted || visitor.role != Role::none;
  // Answers that show something; what a change says of itself arrives, also where it ends the session.
  if (method == "GET" && visitor.role != Role::none && !visitor.session.empty()) {
    out.session = visitor.session;
    out.is_current = [this, visitor, &r] { return access_.is_current(visitor, r); };
  }
  return out;
}

} // namespace vigil::monitor
