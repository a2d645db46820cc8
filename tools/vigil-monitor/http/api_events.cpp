// SPDX-License-Identifier: LGPL-2.1-or-later
#include "api.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::monitor {

using nlohmann::json;

Event Api::need_event(const std::string &id) {
  if (!is_event_id(id)) refuse(404, "there is no event of this name");
  const auto e = monitor_.storage().reader().get(id);
  if (!e) refuse(404, "there is no event " + id);
  return *e;
}

Response Api::events(const Match &m) {
  const Request &r = m.request;
  EventQuery q;
  const auto word = [&](const char *name, std::string &to) {
    if (const auto v = r.query.find(name); v != r.query.end()) to = v->second;
  };
  word("camera", q.camera);
  word("label", q.label);
  word("zone", q.zone);
  word("cursor", q.cursor);
  q.after = number_of(r, "after");
  q.before = number_of(r, "before");
  if (r.query.count("retained")) q.retained = integer_of(r, "retained", 0, 1, 0) != 0;
  if (const auto v = r.query.find("seen"); v != r.query.end()) {
    if (v->second != "true" && v->second != "false") refuse(400, "'seen' is true or false");
    q.seen = v->second == "true";
  }
  q.who = m.visitor.marks();
  q.visible = m.visitor.cameras;
  q.limit = integer_of(r, "limit", 1, 500, 50);
  const EventPage page = monitor_.storage().reader().find(q);
  json events = json::array();
  for (std::size_t i = 0; i < page.events.size(); i++) {
    events.push_back(to_json(page.events[i]));
    events.back()["seen"] = static_cast<bool>(page.seen[i]);
  }
  labels_.add_labels(events);
  return json_response(
      {{"events", events}, {"next_cursor", page.next_cursor.empty() ? json() : json(page.next_cursor)}});
}

Response Api::event(const Match &m) {
  return json_response(shown(m, need_event(m.parts[0])));
}

Response Api::remove_event(const Match &m) {
  need_event(m.parts[0]);
  monitor_.events().remove(m.parts[0]);
  note(m, "delete-event", {{"event", m.parts[0]}});
  return json_response({{"ok", true}});
}

Response Api::thumbnail(const Match &m) {
  const Event e = need_event(m.parts[0]);
  if (!e.has_snapshot) refuse(404, "event " + e.id + " has no picture");
  Response out = file_response(m.request, monitor_.storage().file(thumb_path(e)), "image/jpeg");
  out.headers["X-Capture-Time"] = json(e.start_time).dump();
  return out;
}

Response Api::clip(const Match &m) {
  const Event e = need_event(m.parts[0]);
  if (!e.has_clip)
    refuse(404,
           "event " + e.id + (e.end_time ? " has no clip" : " goes on: its clip is there when it has ended"));
  if (e.of_recording && e.clip_start && e.clip_end)
    return part_of_recording(m, e.camera, *e.clip_start, *e.clip_end, e.id);
  Response out = file_response(m.request, monitor_.storage().file(clip_path(e)), "video/mp4");
  if (m.request.query.count("download"))
    out.headers["Content-Disposition"] = "attachment; filename=\"" + e.id + ".mp4\"";
  return out;
}

Response Api::similar(const Match &m) {
  const Event e = need_event(m.parts[0]);
  json events = json::array();
  for (const SimilarEvent &s : monitor_.storage().reader().similar(
           e.id, integer_of(m.request, "limit", 1, 100, 12), m.visitor.cameras))
    events.push_back({{"event", shown(m, s.event)}, {"similarity", s.similarity}});
  return json_response({{"events", events}});
}

Response Api::retain(const Match &m) {
  const json body = json_body(m.request);
  const auto value = body.find("retain");
  if (body.size() != 1 || value == body.end() || !value->is_boolean())
    refuse(400, "expected {\"retain\": true or false}");
  Event e = need_event(m.parts[0]);
  monitor_.events().set_retained(e, value->get<bool>());
  note(m, "retain", {{"event", e.id}, {"retain", *value}});
  return json_response(shown(m, e));
}

json Api::shown(const Match &m, const Event &e) {
  json out = to_json(e);
  out["labels"] = to_json(labels_.labels(e.id));
  out["seen"] = monitor_.storage().reader().seen(e.id, m.visitor.marks());
  return out;
}

// Each person's own: nobody else's list changes, and the log says nothing of it.
Response Api::seen(const Match &m) {
  const json body = json_body(m.request);
  const auto value = body.find("seen");
  if (body.size() != 1 || value == body.end() || !value->is_boolean())
    refuse(400, "expected {\"seen\": true or false}");
  return mark(m, value->get<bool>());
}

Response Api::unseen(const Match &m) {
  return mark(m, false);
}

// Many at once: all events of an item of the review, or all that somebody has been shown.
Response Api::mark_many(const Match &m) {
  constexpr std::size_t most = 500;
  const json body = json_body(m.request);
  const auto ids = body.find("ids"), value = body.find("seen");
  if (body.size() != 2 || ids == body.end() || value == body.end() || !value->is_boolean() ||
      !ids->is_array() || ids->size() > most ||
      std::any_of(ids->begin(), ids->end(), [](const json &id) { return !id.is_string(); }))
    refuse(400, R"(expected {"ids": [at most 500 ids of events], "seen": true or false})");
  const auto changed = monitor_.storage().events().set_seen(
      ids->get<std::vector<std::string>>(), m.visitor.marks(), m.visitor.cameras, value->get<bool>());
  return json_response({{"changed", changed}});
}

Response Api::mark(const Match &m, bool seen) {
  const Event e = need_event(m.parts[0]);
  monitor_.storage().events().set_seen(e.id, m.visitor.marks(), seen);
  return json_response(shown(m, e));
}

} // namespace vigil::monitor
