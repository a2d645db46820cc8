// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels of events: what they are called, and what was taught.
#include "api.h"

#include "common/error.h"

namespace vigil::monitor {

using nlohmann::json;

namespace {

struct Word {
  std::string label; // empty: what was said is taken back
  bool is = true;
};

// {"label": "NAME"}, {"not": "NAME"} or {"label": null}, next to `others` members.
Word word_of(const json &body, std::size_t others) {
  const auto is = body.find("label"), is_not = body.find("not");
  const bool has_word = is != body.end() && (is->is_string() || is->is_null());
  const bool has_not = is_not != body.end() && is_not->is_string();
  if (body.size() != 1 + others || (!has_word && !has_not))
    refuse(400, R"(expected {"label": "NAME"}, {"not": "NAME"} or {"label": null})");
  if (has_word && is->is_null()) return {};
  Word out{(has_word ? *is : *is_not).get<std::string>(), has_word};
  if (!label::is_name(out.label))
    refuse(400, vigil::text("a label is 1 to ", label::longest_name,
                            " bytes of UTF-8 without control characters, and not only spaces"));
  return out;
}

json note_of(const json &body) {
  return body.contains("not") ? json{{"not", body["not"]}} : json{{"label", body["label"]}};
}

} // namespace

Response Api::label_event(const Match &m) {
  const json body = json_body(m.request);
  const Word word = word_of(body, 0);
  const Event e = need_event(m.parts[0]);
  bool learns = false;
  if (word.label.empty())
    labels_.unname({&e, 1});
  else
    learns = labels_.name({&e, 1}, word.label, word.is, monitor_.utc().now())[0];
  json details = note_of(body);
  details["event"] = e.id;
  note(m, "label", details);
  json out = shown(m, e);
  out["taught"] = learns;
  return json_response(out);
}

Response Api::label_events(const Match &m) {
  constexpr std::size_t most = 500;
  const json body = json_body(m.request);
  const auto ids = body.find("events");
  if (ids == body.end() || !ids->is_array() || ids->empty() || ids->size() > most)
    refuse(400, vigil::text("expected {\"events\": [ID, ...] of 1 to ", most,
                            " events, \"label\": \"NAME\" or null, or \"not\": \"NAME\"}"));
  const Word word = word_of(body, 1);
  std::vector<Event> events;
  for (const json &id : *ids) {
    if (!id.is_string()) refuse(400, "an event's id is a text");
    events.push_back(need_event(id.get<std::string>()));
    if (!m.visitor.cameras.has(events.back().camera)) refuse(404, "there is no event " + events.back().id);
  }
  std::size_t taught = 0;
  if (word.label.empty())
    labels_.unname(events);
  else
    for (const bool learns : labels_.name(events, word.label, word.is, monitor_.utc().now()))
      taught += learns;
  json details = note_of(body);
  details["events"] = events.size();
  note(m, "label", details);
  json out = json::array();
  for (const Event &e : events) out.push_back(shown(m, e));
  return json_response({{"events", out}, {"taught", taught}});
}

Response Api::labels(const Match &m) {
  json out = labels_.report(m.visitor.cameras);
  // Its pictures are of all cameras.
  out["codebook"] = m.visitor.cameras.all() ? services.codebook_state() : json();
  return json_response(out);
}

Response Api::make_codebook(const Match &m) {
  if (!services.make_codebook_now) refuse(409, "labels: codebook is not set in the configuration");
  if (!services.make_codebook_now()) refuse(409, "a codebook is being made");
  note(m, "make-codebook");
  return json_response({{"ok", true}});
}

Response Api::label_groups(const Match &m) {
  constexpr int most = 20, usual = 8;
  const auto limit = static_cast<std::size_t>(integer_of(m.request, "limit", 1, most, usual));
  json groups = json::array();
  for (const LabelBook::Group &g : labels_.groups(m.visitor.cameras, limit)) {
    json events = json::array();
    for (const std::string &id : g.events)
      if (const auto e = monitor_.storage().reader().get(id)) events.push_back(shown(m, *e));
    if (events.size() < 2) continue; // the others were deleted meanwhile
    groups.push_back(
        {{"events", events}, {"guess", g.guess ? to_json(*g.guess) : json()}, {"certainty", g.certainty}});
  }
  return json_response({{"groups", groups}});
}

Response Api::forget_label(const Match &m) {
  const auto &query = m.request.query;
  // A name with a slash is no part of a path; an event may be gone that has left an example.
  const auto asked = query.find("label"), event = query.find("event");
  if (m.parts.empty() && (asked == query.end()) == (event == query.end()))
    refuse(400,
           "either 'label' says which label to delete, or 'event' of which event to delete the examples");
  if (m.parts.empty() && event != query.end()) {
    if (!is_event_id(event->second)) refuse(400, "that is no id of an event");
    const std::size_t gone = labels_.forget_event(event->second);
    note(m, "delete-label", {{"event", event->second}, {"examples", gone}});
    return json_response({{"examples", gone}});
  }
  const std::string label = m.parts.empty() ? asked->second : m.parts[0];
  if (!label::is_name(label)) refuse(400, "that is no name of a label");
  const std::size_t gone = labels_.forget(label);
  note(m, "delete-label", {{"label", label}, {"examples", gone}});
  return json_response({{"examples", gone}});
}

Response Api::export_labels(const Match &m) {
  Response out;
  out.body = labels_.export_examples();
  out.headers["Content-Disposition"] = "attachment; filename=\"vigil-labels.json\"";
  note(m, "export-labels");
  return out;
}

Response Api::import_labels(const Match &m) {
  const std::size_t added = labels_.import_examples(m.request.body);
  note(m, "import-labels", {{"examples", added}});
  return json_response({{"examples", added}});
}

} // namespace vigil::monitor
