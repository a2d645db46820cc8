// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras that are set up on the page: searched for, looked at, added, taken away, exported.
#include "api.h"

#include "../camera/stream_look.h"
#include "../config/secrets.h"
#include "../config/text.h"
#include "../printable.h"
#include "common/error.h"
#include "gst/video/gst_ptr.h"

#include <algorithm>
#include <map>
#include <set>

namespace vigil::monitor {

using nlohmann::json;

namespace {

constexpr std::size_t longest_word = 256;

// A text that may be missing.
std::string word_of(const json &body, const char *name, const std::string &expected) {
  const std::string out = body.contains(name) ? text_member(body, name, expected) : "";
  if (out.size() > longest_word) refuse(400, std::string(name) + " has more than 256 bytes");
  return out;
}

OnvifLogin login_of(const json &body, const std::string &expected) {
  OnvifLogin out{word_of(body, "user", expected), word_of(body, "password", expected)};
  keep_secret(out.password);
  return out;
}

// By the host of their source.
std::map<std::string, std::string> cameras_by_host(const Config &config) {
  std::map<std::string, std::string> out;
  for (const auto &[name, camera] : config.cameras)
    for (const std::string &source : camera.sources()) {
      if (source.find("://") == source.npos) continue;
      try {
        out.emplace(parse_address(source).host, name);
      } catch (const Error &) { // a launch line with an address in it
        continue;
      }
    }
  return out;
}

// The cameras with privacy, by the host of their source.
std::map<std::string, std::string> covered_hosts(Monitor &monitor) {
  Config covered;
  for (const auto &c : monitor.cameras().all())
    if (c->config().privacy.asked()) covered.cameras[c->config().name] = c->config();
  return cameras_by_host(covered);
}

// A name for the camera that a person may change: "Front door" -> "Front-door", "Front-door-2".
std::string free_name(const std::string &words, const std::set<std::string> &taken) {
  std::string base;
  constexpr std::size_t longest = 24;
  for (const char c : words) {
    if (base.size() == longest) break;
    if (is_name(std::string_view(&c, 1)))
      base += c;
    else if (!base.empty() && base.back() != '-')
      base += '-';
  }
  while (base.ends_with('-')) base.pop_back();
  if (base.empty()) base = "camera";
  std::string out = base;
  for (int n = 2; taken.count(out); n++) out = base + "-" + std::to_string(n);
  return out;
}

// Of cameras of the page. Elements and files stay with those who write the configuration: a launch line reads
// any file of this machine.
std::string network_source(const std::string &source) {
  const ServiceAddress at = parse_address(source);
  for (const char *scheme : {"rtsp", "rtsps", "http", "https"})
    if (at.scheme == scheme) return source;
  refuse(400,
         "a camera is added by an address that begins with rtsp://, rtsps://, http:// or https://; others "
         "are written in the configuration");
}

json profile_json(const OnvifDevice &d, std::size_t i) {
  const OnvifProfile &p = d.profiles[i];
  return {{"token", p.token},   {"name", p.name}, {"codec", p.codec},        {"width", p.width},
          {"height", p.height}, {"fps", p.fps},   {"record", i == d.record}, {"detect", i == d.detect}};
}

json findings_json(const StreamFindings &f, const std::string &source, bool record, bool detect) {
  json out = {{"source", shown_source(source)},
              {"record", record},
              {"detect", detect},
              {"why", f.why.empty() ? json() : json(f.why)},
              {"codec", f.codec},
              {"width", f.width},
              {"height", f.height},
              {"seconds", f.seconds},
              {"fps", f.fps ? json(*f.fps) : json()},
              {"key_seconds", f.key_seconds ? json(*f.key_seconds) : json()},
              {"sound", f.sound.empty() ? json() : json(f.sound)},
              {"warnings", f.warnings},
              {"picture", nullptr}};
  if (f.picture) {
    const gst::TextPtr words(
        g_base64_encode(reinterpret_cast<const guchar *>(f.picture->data()), f.picture->size()));
    out["picture"] = words.get();
  }
  return out;
}

} // namespace

Response Api::search_devices(const Match &m) {
  only_members(json_body(m.request), {}, "{}");
  note(m, "search-devices");
  const auto found = searches_.search();
  if (!found) refuse(503, "another search is under way; try it again in some seconds");
  const auto known = monitor_.call([&] { return cameras_by_host(monitor_.cameras().config()); });
  json devices = json::array();
  for (const FoundDevice &d : found->devices) {
    const auto camera = known.find(d.host);
    devices.push_back({{"host", d.host},
                       {"address", d.address},
                       {"name", d.name},
                       {"hardware", d.hardware},
                       {"camera", camera == known.end() ? json() : json(camera->second)}});
  }
  return json_response({{"devices", devices}, {"refused", found->refused}});
}

Response Api::look_at_device(const Match &m) {
  const std::string expected = R"({"address": "...", "user": "...", "password": "..."})";
  const json body = json_body(m.request);
  only_members(body, {"address", "user", "password"}, expected);
  text_member(body, "address", expected);
  const std::string address = word_of(body, "address", expected);
  const OnvifLogin login = login_of(body, expected);
  note(m, "look-at-device", {{"address", mask_credentials(address)}});
  const auto device = searches_.look(address, login, std::nullopt);
  if (!device) refuse(503, "several devices are being asked; try it again in some seconds");
  const auto taken = monitor_.call([&] {
    std::set<std::string> names;
    for (const auto &[name, camera] : monitor_.cameras().config().cameras) names.insert(name);
    return names;
  });
  json profiles = json::array();
  for (std::size_t i = 0; i < device->profiles.size(); i++) profiles.push_back(profile_json(*device, i));
  return json_response({{"host", device->host},
                        {"manufacturer", device->manufacturer},
                        {"model", device->model},
                        {"clock_offset", device->clock_offset},
                        {"profiles", profiles},
                        {"record", shown_source(device->record_uri)},
                        {"detect", shown_source(device->detect_uri)},
                        {"name", free_name(device->model, taken)}});
}

Api::Sources Api::sources_of(const json &body, const std::string &expected) {
  Sources out;
  if (const auto device = body.find("device"); device != body.end()) {
    if (!device->is_object() || body.contains("source") || body.contains("record_source"))
      refuse(400, "expected " + expected);
    only_members(*device, {"address", "user", "password", "record", "detect"}, expected);
    const OnvifLogin login = login_of(*device, expected);
    const auto found = searches_.look(
        text_member(*device, "address", expected), login,
        ProfileChoice{text_member(*device, "record", expected), text_member(*device, "detect", expected)});
    if (!found) refuse(503, "several devices are being asked; try it again in some seconds");
    out.detect = with_credentials(found->detect_uri, login.user, login.password);
    out.onvif = with_credentials(device_address(text_member(*device, "address", expected)).url, login.user,
                                 login.password);
    if (found->record != found->detect)
      out.record = with_credentials(found->record_uri, login.user, login.password);
  } else {
    out.detect = network_source(text_member(body, "source", expected));
    if (body.contains("record_source"))
      out.record = network_source(text_member(body, "record_source", expected));
  }
  for (const std::string &s : {out.detect, out.record, out.onvif}) keep_secrets_of_source(s);
  return out;
}

Response Api::look_at_streams(const Match &m) {
  const std::string expected =
      R"({"source": "rtsp://...", "record_source": "rtsp://..."} or {"device": {"address": "...", )"
      R"("user": "...", "password": "...", "record": "token of a profile", "detect": "token of a profile"}})";
  const json body = json_body(m.request);
  only_members(body, {"source", "record_source", "device"}, expected);
  const auto guard = looks_.begin();
  if (!guard) refuse(503, "another stream is being looked at; try it again in some seconds");
  const Sources sources = sources_of(body, expected);
  note(m, "look-at-stream", {{"source", shown_source(sources.detect)}});
  std::vector<std::shared_ptr<StreamLook>> looks;
  std::map<std::string, std::string> covered;
  monitor_.call([&] {
    covered = covered_hosts(monitor_);
    looks.push_back(monitor_.look_at(sources.detect));
    if (!sources.record.empty()) looks.push_back(monitor_.look_at(sources.record));
  });
  json streams = json::array();
  for (std::size_t i = 0; i < looks.size(); i++) {
    StreamFindings found =
        looks[i]->observer().wait(Utc::monotonic_seconds, [this] { return looks_.ended(); });
    const bool recorded = i > 0 || sources.record.empty();
    const std::string &source = i > 0 ? sources.record : sources.detect;
    if (const auto camera = covered.find(parse_address(source).host); camera != covered.end()) {
      found.picture.reset();
      found.warnings.push_back("no picture is shown: camera " + camera->second + " of this host has privacy");
    }
    streams.push_back(findings_json(found, source, recorded, i == 0));
  }
  return json_response({{"streams", streams}});
}

Response Api::add_camera(const Match &m) {
  const std::string expected =
      R"({"name": "...", "source": "rtsp://...", "record_source": "rtsp://..."} or )"
      R"({"name": "...", "device": {"address": "...", "user": "...", "password": "...",)"
      R"( "record": "token of a profile", "detect": "token of a profile"}})";
  const json body = json_body(m.request);
  only_members(body, {"name", "source", "record_source", "device"}, expected);
  const std::string name = text_member(body, "name", expected);
  const Sources sources = sources_of(body, expected);
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    monitor_.cameras().add(name, sources.detect, sources.record, sources.onvif);
    saved = monitor_.cameras().save_overrides();
    return monitor_.cameras().describe(name);
  });
  note(m, "add-camera", {{"camera", name}, {"source", shown_source(sources.detect)}});
  need_saved(saved);
  return json_response(done);
}

Response Api::rename_camera(const Match &m) {
  const std::string expected = R"({"title": "..."})";
  const json body = json_body(m.request);
  only_members(body, {"title"}, expected);
  const std::string title = text_member(body, "title", expected), &name = m.parts[0];
  std::shared_future<std::string> saved;
  const json done = monitor_.call([&] {
    if (!monitor_.cameras().find(name)) refuse(404, "there is no camera '" + name + "'");
    monitor_.cameras().set_title(name, title);
    saved = monitor_.cameras().save_overrides();
    return monitor_.cameras().describe(name);
  });
  note(m, "rename-camera", {{"camera", name}, {"title", title}});
  need_saved(saved);
  return json_response(done);
}

Response Api::remove_camera(const Match &m) {
  const std::string &name = m.parts[0];
  std::shared_future<std::string> saved;
  monitor_.call([&] {
    if (!monitor_.cameras().find(name)) refuse(404, "there is no camera '" + name + "'");
    monitor_.cameras().remove(name);
    saved = monitor_.cameras().save_overrides();
  });
  note(m, "remove-camera", {{"camera", name}});
  need_saved(saved);
  return json_response({{"removed", name}});
}

Response Api::export_cameras(const Match &m) {
  Response out;
  out.type = "application/yaml";
  out.headers["Content-Disposition"] = "attachment; filename=\"cameras.yaml\"";
  out.body = "# Cameras that were added on the page. Set the variables to the passwords, percent-encoded.\n" +
             monitor_.call([&] { return monitor_.cameras().overrides().added_yaml(); });
  note(m, "export-cameras");
  return out;
}

} // namespace vigil::monitor
