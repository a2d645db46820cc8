// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the recording as files that stay for a while: export/exports.h.
#include "api.h"

#include "../counted.h"
#include "../export/sha256.h"
#include "../recording/recorded.h"
#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::monitor {

using nlohmann::json;

namespace {

ExportJob need_export(Monitor &m, const std::string &id) {
  auto job = m.exports().get(id);
  if (!job) refuse(404, "there is no export " + id);
  return std::move(*job);
}

// Of cameras all of which the visitor may see.
bool may_see(const Visitor &visitor, const ExportJob &job) {
  return std::all_of(job.request.cameras.begin(), job.request.cameras.end(),
                     [&](const std::string &camera) { return visitor.cameras.has(camera); });
}

ExportJob need_export(Monitor &m, const std::string &id, const Visitor &visitor) {
  ExportJob job = need_export(m, id);
  if (!may_see(visitor, job)) refuse(404, "there is no export " + id);
  return job;
}

std::size_t need_file(const ExportJob &job, const Request &r) {
  if (job.state != ExportJob::State::done)
    refuse(404, "export " + job.id + (job.has_ended() ? " has no files" : " is not done yet"));
  const int n = integer_of(r, "file", 0, 999, 0);
  if (static_cast<std::size_t>(n) >= job.files.size())
    refuse(404,
           vigil::text("export ", job.id, " has ", counted(job.files.size(), "file"), ", numbered from 0"));
  return static_cast<std::size_t>(n);
}

// What a browser saves it as: the export's name where it has one.
std::string saved_as(const ExportJob &job, const ExportFile &f) {
  std::string name = job.request.name;
  for (char &c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == ' ' || c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  if (name.empty()) return f.name;
  return job.files.size() == 1 ? name + ".mp4" : name + "-" + f.name;
}

} // namespace

Response Api::add_export(const Match &m) {
  const ExportRequest wanted = export_request(json_body(m.request));
  constexpr double other_clock = 60; // a browser's may be fast
  const double now = monitor_.utc().now();
  if (wanted.to > now + other_clock)
    refuse(400,
           "to is " + utc_timestamp(wanted.to) + ", which is still to come; it is " + utc_timestamp(now));
  for (const std::string &camera : wanted.cameras) {
    if (!m.visitor.cameras.has(camera)) refuse(404, "there is no camera '" + camera + "'");
    if (recorded_segments(monitor_.storage().reader(), monitor_.open_segments(), camera, micros(wanted.from),
                          micros(wanted.to), false)
            .empty())
      nothing_recorded(camera, wanted.from, wanted.to);
  }
  try {
    const ExportJob job = monitor_.exports().add(wanted, m.visitor.name, now);
    note(m, "export",
         {{"export", job.id}, {"cameras", wanted.cameras}, {"from", wanted.from}, {"to", wanted.to}});
    Response out = json_response(to_json(job));
    out.status = 202;
    return out;
  } catch (const TooManyExports &e) {
    refuse(429, e.what());
  }
}

Response Api::exports(const Match &m) {
  json out = json::array();
  for (const ExportJob &job : monitor_.exports().all())
    if (may_see(m.visitor, job)) out.push_back(to_json(job));
  return json_response({{"exports", out}});
}

Response Api::one_export(const Match &m) {
  return json_response(to_json(need_export(monitor_, m.parts[0], m.visitor)));
}

Response Api::remove_export(const Match &m) {
  const bool ended = need_export(monitor_, m.parts[0], m.visitor).has_ended();
  const auto job = monitor_.exports().cancel_or_remove(m.parts[0], monitor_.utc().now());
  if (!job) refuse(404, "there is no export " + m.parts[0]);
  note(m, ended ? "delete-export" : "cancel-export", {{"export", job->id}});
  return json_response(to_json(*job));
}

Response Api::export_file(const Match &m) {
  const Request &r = m.request;
  const bool linked = m.visitor.role == Role::none;
  if (linked) {
    const auto key = r.query.find("key");
    if (m.visitor.wrong && !m.visitor.old_session) wrong_token(r, "Authorization");
    if (key == r.query.end()) refuse(401, "a token is needed, or a link of /api/exports/ID/link");
    const auto until = number_of(r, "until");
    const int n = integer_of(r, "file", 0, 999, 0);
    const std::string right = monitor_.exports().signature(m.parts[0], static_cast<std::size_t>(n),
                                                           static_cast<std::int64_t>(until.value_or(0)));
    if (!same_signature(key->second, right)) {
      wrong_token(r, "link", key->second);
      refuse(403, "this link is not as it was given; copy it whole");
    }
    if (monitor_.utc().now() > *until) refuse(403, "this link has expired; ask for a new one");
  }
  const ExportJob job =
      linked ? need_export(monitor_, m.parts[0]) : need_export(monitor_, m.parts[0], m.visitor);
  const ExportFile &f = job.files[need_file(job, r)];
  Response out = file_response(r, monitor_.exports().file(job, f), "video/mp4");
  out.headers["Content-Disposition"] = "attachment; filename=\"" + saved_as(job, f) + "\"";
  out.headers["ETag"] = "\"" + f.sha256 + "\"";
  out.trusted = true; // also by a link: it may take long
  return out;
}

Response Api::export_link(const Match &m) {
  constexpr int month = 30 * 86400, day = 86400;
  const ExportJob job = need_export(monitor_, m.parts[0], m.visitor);
  const std::size_t n = need_file(job, m.request);
  const int length = integer_of(m.request, "seconds", 1, month, day);
  const std::int64_t until = static_cast<std::int64_t>(std::floor(monitor_.utc().now())) + length;
  const std::string key = monitor_.exports().signature(job.id, n, until);
  note(m, "link-export", {{"export", job.id}, {"file", job.files[n].name}, {"until", until}});
  return json_response(
      {{"path", vigil::text("api/exports/", job.id, "/file?file=", n, "&until=", until, "&key=", key)},
       {"until", until}});
}

// In the audit log, since the owner of a file can show by its SHA-256 that nobody has changed it.
void Api::note_export(const ExportJob &job) {
  const json j = to_json(job);
  json details = {{"export", job.id}, {"state", j["state"]}, {"files", j["files"]}};
  if (!job.reason.empty()) details["reason"] = job.reason;
  Visitor who;
  who.name = job.who;
  note({}, who, "export-ended", details);
  log_line(vigil::text("export ", job.id, ": ", j["state"].get<std::string>(), job.reason.empty() ? "" : ": ",
                       job.reason));
}

} // namespace vigil::monitor
