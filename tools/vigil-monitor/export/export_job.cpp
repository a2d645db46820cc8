// SPDX-License-Identifier: LGPL-2.1-or-later
#include "export_job.h"

#include "../config/text.h"
#include "../store/event.h"
#include "common/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace vigil::monitor {

using nlohmann::json;

namespace {

constexpr std::array states = {"queued", "running", "done", "failed", "cancelled"};

[[noreturn]] void refuse(const std::string &what) {
  fail(Error::Kind::bad_setting, what);
}

std::string shown(const json &j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60);
}

double time_of(const json &body, const char *name) {
  constexpr double latest = 1e11;
  const auto v = body.find(name);
  if (v == body.end()) refuse(text(name, " is missing: seconds since 1970"));
  if (!v->is_number() || !std::isfinite(v->get<double>()) || v->get<double>() < 0 ||
      v->get<double>() > latest)
    refuse(text(name, " is ", shown(*v), ", which is no time in seconds since 1970"));
  return v->get<double>();
}

std::vector<std::string> cameras_of(const json &body) {
  const auto v = body.find("cameras");
  if (v == body.end() || !v->is_array() || v->empty() || v->size() > ExportRequest::most_cameras)
    refuse(text("cameras must be a list of 1 to ", ExportRequest::most_cameras, " names"));
  std::vector<std::string> out;
  for (const json &name : *v) {
    if (!name.is_string() || !is_name(name.get<std::string>()))
      refuse(text("cameras: ", shown(name), " is no name of a camera"));
    if (std::find(out.begin(), out.end(), name.get<std::string>()) != out.end())
      refuse(text("cameras: ", shown(name), " is there twice"));
    out.push_back(name.get<std::string>());
  }
  return out;
}

} // namespace

ExportRequest export_request(const json &body) {
  for (const auto &[key, value] : body.items()) {
    constexpr std::array known = {"cameras", "from", "to", "burn_in", "timelapse", "name"};
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse("there is no field '" + key.substr(0, 40) +
             "'; allowed: cameras, from, to, burn_in, timelapse, name");
  }
  ExportRequest r;
  r.cameras = cameras_of(body);
  r.from = time_of(body, "from");
  r.to = time_of(body, "to");
  if (r.to <= r.from) refuse("from must be before to");
  if (const auto v = body.find("burn_in"); v != body.end()) {
    if (!v->is_boolean()) refuse(text("burn_in is ", shown(*v), "; allowed: true, false"));
    r.burn_in = v->get<bool>();
  }
  if (const auto v = body.find("timelapse"); v != body.end() && !v->is_null()) {
    const double times = v->is_number() ? v->get<double>() : 0;
    if (times < 2 || times > ExportRequest::fastest || times != std::floor(times))
      refuse(text("timelapse is ", shown(*v), "; allowed: null, or a whole number from 2 to ",
                  ExportRequest::fastest));
    r.timelapse = static_cast<int>(times);
  }
  if (const auto v = body.find("name"); v != body.end() && !v->is_null()) {
    constexpr std::size_t longest_name = 80;
    if (!v->is_string() || v->get_ref<const std::string &>().size() > longest_name)
      refuse(text("name must be a text of at most ", longest_name, " bytes"));
    r.name = v->get<std::string>();
  }
  const double most = r.timelapse ? ExportRequest::longest_timelapse : ExportRequest::longest;
  if (r.to - r.from > most)
    refuse(text("from ", utc_timestamp(r.from), " to ", utc_timestamp(r.to), " is longer than ",
                most / ExportRequest::longest, r.timelapse ? " days" : " day", "; export it in parts"));
  return r;
}

json to_json(const ExportJob &j) {
  json files = json::array();
  for (const ExportFile &f : j.files)
    files.push_back({{"name", f.name},
                     {"camera", f.camera},
                     {"bytes", f.bytes},
                     {"sha256", f.sha256},
                     {"start", f.start},
                     {"end", f.end}});
  return {{"id", j.id},
          {"name", j.request.name},
          {"cameras", j.request.cameras},
          {"from", j.request.from},
          {"to", j.request.to},
          {"burn_in", j.request.burn_in},
          {"timelapse", j.request.timelapse ? json(*j.request.timelapse) : json()},
          {"who", j.who},
          {"created", j.created},
          {"ended", j.ended ? json(*j.ended) : json()},
          {"state", states[static_cast<std::size_t>(j.state)]},
          {"reason", j.reason.empty() ? json() : json(j.reason)},
          {"progress", j.progress},
          {"files", files}};
}

ExportJob export_job(const json &from) {
  ExportJob j;
  try {
    const std::string state = from.at("state");
    const auto known = std::find(states.begin(), states.end(), state);
    if (known == states.end()) fail(Error::Kind::bad_data, "an export has the state '", state, "'");
    j.state = static_cast<ExportJob::State>(known - states.begin());
    j.id = from.at("id");
    j.who = from.at("who");
    j.created = from.at("created");
    j.progress = from.at("progress");
    if (!from.at("ended").is_null()) j.ended = from.at("ended").get<double>();
    if (!from.at("reason").is_null()) j.reason = from.at("reason");
    json request;
    for (const char *key : {"cameras", "from", "to", "burn_in", "timelapse", "name"})
      request[key] = from.at(key);
    j.request = export_request(request);
    for (const json &f : from.at("files"))
      j.files.push_back(
          {f.at("name"), f.at("camera"), f.at("sha256"), f.at("bytes"), f.at("start"), f.at("end")});
  } catch (const json::exception &e) {
    fail(Error::Kind::bad_data, "it is no export: ", e.what());
  }
  return j;
}

std::string new_export_id(double now) {
  std::random_device random;
  constexpr std::string_view letters = "abcdefghijkmnpqrstuvwxyz23456789";
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::string out = std::to_string(static_cast<std::int64_t>(now)) + "-";
  constexpr int length = 10;
  for (int i = 0; i < length; i++) out += letters[letter(random)];
  return out;
}

bool is_export_id(std::string_view id) {
  return !id.empty() && id.size() <= 40 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-';
  });
}

} // namespace vigil::monitor
